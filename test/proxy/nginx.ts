// Common nginx configurations that pass on less than docs/proxies recommends.

import { join } from 'node:path'
import type { Test } from 'tap'
import { NGINX } from '../tools.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'
import { nginxMain } from './documented.ts'
import { runProxy } from './run-proxy.ts'

export interface Nginx {
  /** Passes the public host name on, without its port. */
  forwardingPort: number
  /** Contains only `proxy_pass`: the server receives its own address as the host. */
  barePort: number
  /** Terminates TLS, and passes on only the host name, without its port. */
  tlsPort: number
}

/** Starts nginx in front of a server on that port, and stops it with the test. */
export async function startNginx(t: Pick<Test, 'teardown'>, upstreamPort: number): Promise<Nginx> {
  const [forwardingPort = 0, barePort = 0, tlsPort = 0] = await runProxy(t, 3, (folder, ports) => ({
    program: NGINX,
    words: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    files: {
      'nginx.conf': nginxMain(folder, servers(folder, ports, upstreamPort)),
      'certificate.pem': CERTIFICATE,
      'key.pem': CERTIFICATE_KEY,
    },
  }))
  return { forwardingPort, barePort, tlsPort }
}

/** Starts nginx in front of several replicas, given by their addresses. Returns its port. */
export async function startBalancer(t: Pick<Test, 'teardown'>, replicas: readonly string[]): Promise<number> {
  const [port = 0] = await runProxy(t, 2, (folder, [plain, tls]) => ({
    program: NGINX,
    words: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    files: {
      'nginx.conf': nginxMain(
        folder,
        `
  upstream site {
    ${replicas.map((address) => `server ${address} fail_timeout=1s;`).join('\n    ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${plain};
    listen 127.0.0.1:${tls} ssl;
    ssl_certificate ${join(folder, 'certificate.pem')};
    ssl_certificate_key ${join(folder, 'key.pem')};
    location / {
      proxy_pass http://site;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }`,
      ),
      'certificate.pem': CERTIFICATE,
      'key.pem': CERTIFICATE_KEY,
    },
  }))
  return port
}

function servers(folder: string, [forwarding, bare, tls]: readonly number[], upstreamPort: number): string {
  return `
  server {
    listen 127.0.0.1:${forwarding};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Host $host;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
  server {
    listen 127.0.0.1:${bare};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
    }
  }
  server {
    listen 127.0.0.1:${tls} ssl;
    ssl_certificate ${join(folder, 'certificate.pem')};
    ssl_certificate_key ${join(folder, 'key.pem')};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_set_header Host $host;
    }
  }
`
}
