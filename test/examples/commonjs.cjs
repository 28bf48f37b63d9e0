// The rules from a CommonJS program: node commonjs.cjs
const { createCore, Refusal } = require('@rollcall/core');
const { anOrganization, memoryPorts } = require('@rollcall/core/testing');

const { ports, load } = memoryPorts();
const links = {
  invitation: (token) => `https://acme.example/invitations/${token.reveal()}`,
  login: (token) => `https://acme.example/login/${token.reveal()}`,
  defaultAvatar: 'https://acme.example/avatar.svg',
};
const core = createCore(ports, { links });

load({ organizations: [anOrganization(1)] })
  .then(() =>
    core.inviteUser({ organization: { id: 1 }, email: 'not an address', firstName: 'Dana', lastName: 'Kim' }),
  )
  .catch((error) => process.stdout.write(`${error instanceof Refusal} ${error.code}\n`));
