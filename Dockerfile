# Node 26 has long-term support. Each digest names the index of all platforms. Keep both images at the same version of Node.
FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS build
WORKDIR /rollcall
COPY package.json package-lock.json .npmrc ./
COPY core/package.json core/
COPY contracts/package.json contracts/
COPY adapters/sql/package.json adapters/sql/
COPY adapters/sql/node20 adapters/sql/node20
COPY adapters/sql/compile adapters/sql/compile
COPY adapters/node/package.json adapters/node/
COPY adapters/express/package.json adapters/express/
COPY app/package.json app/trim.mjs app/
RUN npm ci
COPY . .
# The commit, for the log and the metrics.
ARG REVISION
RUN npm run build
RUN npm ci --omit=dev
# data: the folder of SQLite; with PostgreSQL it stays empty.
RUN mkdir data app/dist/bundle/compiled && chown 65532:65532 app/dist/bundle/compiled
# Node keeps what it compiles, by user and options: a start takes a quarter less of CPU. The service may not write there.
USER 65532:65532
RUN DATABASE_URL=sqlite:$(mktemp -d)/rollcall.db timeout --preserve-status 20 node --v8-pool-size=0 --max-semi-space-size=4 app/dist/rollcall.cjs serve
RUN chmod -R a+rX app/dist/bundle/compiled

# Node without a shell and without a package manager. Only /data belongs to the user of the service.
FROM gcr.io/distroless/nodejs26-debian13:nonroot@sha256:afc6657a4b662f9cb69ca892b0596e55d6ef81a10e83ee8887b13f602877df89
WORKDIR /rollcall
COPY --from=build --chown=65532:65532 /rollcall/data /data
COPY --from=build /rollcall/package.json ./
COPY --from=build /rollcall/node_modules node_modules
COPY --from=build /rollcall/core core
COPY --from=build /rollcall/contracts contracts
COPY --from=build /rollcall/adapters adapters
COPY --from=build /rollcall/app app
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=sqlite:/data/rollcall.db
USER 65532:65532
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=60s CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# One thread for garbage collection for each core beyond the first, instead of four, and shorter pauses.
ENTRYPOINT ["/nodejs/bin/node", "--v8-pool-size=0", "--max-semi-space-size=4", "app/dist/rollcall.cjs"]
CMD ["serve"]
