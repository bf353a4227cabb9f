import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { NGINX } from '../tools.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'

export interface Nginx {
  /** Passes the public host name on, as the documentation advises. */
  forwardingPort: number
  /** Has nothing but `proxy_pass`: the server behind it sees its own address. */
  barePort: number
  /** Ends TLS, and passes on the host name without its port, and nothing else: what many have. */
  tlsPort: number
}

const MAX_TRIES = 5

/** Starts nginx before a server on that port, on free ports of this machine; it is stopped with the test. */
export async function startNginx(t: Pick<Test, 'teardown' | 'testdir'>, upstreamPort: number): Promise<Nginx> {
  const dir = t.testdir({ 'certificate.pem': CERTIFICATE, 'key.pem': CERTIFICATE_KEY })
  for (let tries = 1; ; tries++) {
    // nginx cannot choose a free port by itself, and another process may take one in between.
    const [forwardingPort, barePort, tlsPort] = await findFreePorts()
    writeFileSync(join(dir, 'nginx.conf'), configuration(dir, { forwardingPort, barePort, tlsPort }, upstreamPort))
    if (await run(t, dir)) return { forwardingPort, barePort, tlsPort }
    if (tries === MAX_TRIES) throw new Error(`nginx did not start; see ${join(dir, 'nginx.conf')}`)
  }
}

async function run(t: Pick<Test, 'teardown'>, dir: string): Promise<boolean> {
  const child = spawn(NGINX, ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  const lines = createInterface(child.stderr)
  // Its sockets are open before it starts its workers.
  const hasStarted = await Promise.race([
    ended.then(() => false),
    new Promise<boolean>((resolve) => {
      lines.on('line', (line) => line.includes('start worker process ') && resolve(true))
    }),
  ])
  if (hasStarted) {
    t.teardown(async () => {
      child.kill()
      await ended
    })
  }
  return hasStarted
}

function configuration(dir: string, { forwardingPort, barePort, tlsPort }: Nginx, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    const folder = join(dir, name)
    mkdirSync(folder, { recursive: true })
    return `${name}_temp_path ${folder};`
  })
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${join(dir, 'nginx.pid')};
error_log stderr notice;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${forwardingPort};
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
    listen 127.0.0.1:${barePort};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
    }
  }
  server {
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${join(dir, 'certificate.pem')};
    ssl_certificate_key ${join(dir, 'key.pem')};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_set_header Host $host;
    }
  }
}
`
}

async function findFreePorts(): Promise<[number, number, number]> {
  const servers = [createServer(), createServer(), createServer()]
  const [first = 0, second = 0, third = 0] = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    }),
  )
  await Promise.all(
    servers.map((server) => {
      server.close()
      return once(server, 'close')
    }),
  )
  return [first, second, third]
}
