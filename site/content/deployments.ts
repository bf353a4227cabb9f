// Short versions of the files in docs/deploy/.

export const SYSTEMD = `
[Service]
Type=exec
WorkingDirectory=/srv/my-site
ExecStart=/srv/my-site/node_modules/.bin/hydrant start
Environment=PORT=3000 HYDRANT_TRUST_PROXY=loopback HYDRANT_HOSTS=shop.example
Environment=HYDRANT_LEDGER=/var/lib/my-site/errors.db
TimeoutStopSec=20
Restart=on-failure
RestartPreventExitStatus=2
DynamicUser=yes
StateDirectory=my-site
ProtectSystem=strict
PrivateTmp=yes
`

export const DOCKERFILE = `
FROM node:22-slim AS build
WORKDIR /site
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npx hydrant build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /site
ENV HOST=0.0.0.0 HYDRANT_LEDGER=/var/lib/my-site/errors.db
RUN install -d -o node -g node /var/lib/my-site
COPY --from=build /site/package.json ./
COPY --from=build /site/node_modules ./node_modules
COPY --from=build /site/.hydrant ./.hydrant
USER 1000:1000
CMD ["node_modules/.bin/hydrant", "start"]
`

export const KUBERNETES = `
terminationGracePeriodSeconds: 45   # more than both below, and 3 s
containers:
  - env:
      - { name: HOST, value: 0.0.0.0 }
      - { name: HYDRANT_TRUST_PROXY, value: 10.0.0.0/8 }
      - { name: HYDRANT_TIMEOUTS_STOP_DELAY_MS, value: "12000" }
      - { name: HYDRANT_TIMEOUTS_DRAIN_MS, value: "20000" }
    readinessProbe:
      httpGet: { path: /_hydrant/ready, port: 3000 }
      periodSeconds: 5
    livenessProbe:
      httpGet: { path: /_hydrant/live, port: 3000 }
`
