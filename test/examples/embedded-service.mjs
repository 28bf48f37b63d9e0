// The whole service inside another program, pages included: node embedded-service.mjs <database> <port>
import express from 'express';
import { createRollcall } from 'rollcall';

const [databaseUrl, port] = [process.argv[2], Number(process.argv[3])];
const rollcall = await createRollcall({
  databaseUrl,
  publicUrl: `http://127.0.0.1:${port}/partner`,
  secretKey: process.env.SECRET_KEY,
});

const host = express();
host.use('/partner', rollcall.app);
host.get('/', (_request, response) => response.send('the host'));
const server = host.listen(port, '127.0.0.1');
await rollcall.start();

process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => rollcall.stop());
});
