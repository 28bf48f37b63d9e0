# Node 24 has long-term support. The digest names the index of all platforms; change it together with the version.
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /rollcall
COPY package.json package-lock.json .npmrc ./
COPY core/package.json core/
COPY contracts/package.json contracts/
COPY adapters/sql/package.json adapters/sql/
COPY adapters/sql/node20 adapters/sql/node20
COPY adapters/node/package.json adapters/node/
COPY adapters/express/package.json adapters/express/
COPY app/package.json app/
RUN npm ci
COPY . .
# The commit, for the log and the metrics.
ARG REVISION
RUN npm run build
RUN npm ci --omit=dev

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
# The folder of SQLite; with PostgreSQL it stays empty.
RUN mkdir /data && chown node:node /data
WORKDIR /rollcall
COPY --from=build /rollcall/package.json ./
COPY --from=build /rollcall/node_modules node_modules
COPY --from=build /rollcall/core core
COPY --from=build /rollcall/contracts contracts
COPY --from=build /rollcall/adapters adapters
COPY --from=build /rollcall/app app
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=sqlite:/data/rollcall.db
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "app/dist/rollcall.js"]
CMD ["serve"]
