// Paths that a proxy protects, or whose responses it caches, by the path alone.

import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BUILD_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { findDifferences } from '../differences.ts'
import { linesOf, marked, navigationHeaders } from '../server/lines.ts'
import { buildFiles, HTML, serve } from '../server/served.ts'
import { CADDY, HAPROXY, NGINX } from '../tools.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'
import { nginxMain } from './documented.ts'
import { type Command, runProxy } from './run-proxy.ts'

const SECRET = 'the books of the house'
const page = 'export default function Page({ data }) {\n  return <p>{data}</p>\n}\n'
const secret = `export const load = () => '${SECRET}'\nexport const action = () => { globalThis.hydrantActs++ }\n`

const dir = await buildFiles(t.testdir({}), {
  'pages/admin/index.tsx': page,
  'pages/admin/index.server.ts': secret,
  'pages/admin/users/[id].tsx': page,
  'pages/admin/users/[id].server.ts': secret,
  'pages/admin/[...path].tsx': page,
  'pages/admin/[...path].server.ts': secret,
  'pages/open.tsx': page,
  'pages/open.server.ts':
    "export const load = ({ reply }) => {\n  reply.header('cache-control', 'public, max-age=60').header('x-accel-expires', '60')\n  return 'open'\n}\n",
})
const acts = Object.assign(globalThis, { hydrantActs: 0 })
const headers = navigationHeaders(dir)
const site = await serve(t, dir)
await site.app.listen({ port: 0, host: '127.0.0.1' })
const upstream = new URL(site.app.listeningOrigin).host

type Ports = readonly number[]
const certificates = {
  'certificate.pem': CERTIFICATE,
  'key.pem': CERTIFICATE_KEY,
  'both.pem': CERTIFICATE + CERTIFICATE_KEY,
}

const nginx = (folder: string, [plain, cached, tls]: Ports): Command => ({
  program: NGINX,
  words: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
  files: {
    ...certificates,
    users: 'boss:{PLAIN}secret\n',
    'nginx.conf': nginxMain(
      folder,
      `
  proxy_cache_path ${join(folder, 'cache')} keys_zone=pages:1m;
  auth_basic_user_file ${join(folder, 'users')};
  server {
    listen 127.0.0.1:${plain};
    listen 127.0.0.1:${tls} ssl;
    ssl_certificate ${join(folder, 'certificate.pem')};
    ssl_certificate_key ${join(folder, 'key.pem')};
    location / { proxy_pass http://${upstream}; }
    location = /admin { auth_basic "Operators"; proxy_pass http://${upstream}; }
    location /admin/ { auth_basic "Operators"; proxy_pass http://${upstream}; }
  }
  server {
    listen 127.0.0.1:${cached};
    location / {
      proxy_cache pages;
      proxy_cache_key $uri;
      proxy_cache_valid any 10m;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      add_header x-cache $upstream_cache_status always;
      proxy_pass http://${upstream};
    }
  }`,
    ),
  },
})

const haproxy = (folder: string, [plain, , tls]: Ports): Command => ({
  program: HAPROXY,
  words: ['-db', '-f', join(folder, 'haproxy.cfg')],
  files: {
    ...certificates,
    'haproxy.cfg': `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
userlist operators
  user boss insecure-password secret
frontend site
  bind 127.0.0.1:${plain}
  bind 127.0.0.1:${tls} ssl crt ${join(folder, 'both.pem')}
  acl guarded path /admin
  acl guarded path_beg /admin/
  http-request auth realm Operators if guarded !{ http_auth(operators) }
  default_backend hydrant
backend hydrant
  server first ${upstream}
`,
  },
})

// "secret", as `caddy hash-password` writes it.
const HASH = '$2a$14$BE1RybBiCTFrpGkh/6vXDeEBoH.3XaRLgSefOmSxo20SfuEzSyzaO'

const caddy = (folder: string, [plain, , tls]: Ports): Command => ({
  program: CADDY,
  words: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
  files: {
    ...certificates,
    Caddyfile: `
{
	admin off
	auto_https off
	default_bind 127.0.0.1
}
(site) {
	@guarded path /admin /admin/*
	basicauth @guarded {
		boss ${HASH}
	}
	reverse_proxy ${upstream}
}
http://:${plain} {
	import site
}
https://shop.example:${tls} {
	tls ${join(folder, 'certificate.pem')} ${join(folder, 'key.pem')}
	import site
}
`,
  },
})

const AUTHORIZATION = `Basic ${Buffer.from('boss:secret').toString('base64')}`
const GUARDED = ['/admin', '/admin?a=b', '/admin/users/7', '/admin/users/7?a=b']

/** Proxies resolve these to a path outside of `/admin/`, and pass them on as they are. */
const RESOLVED = ['/admin/..', '/admin/%2e%2E', '/admin/../x', '/admin/a/../../b', '/admin/..%2fx', '/x/../admin/7']

interface Raw {
  status: number | undefined
  text: string
}

/** Sends a path as it is, which `fetch` resolves. */
async function askRaw(port: number, path: string): Promise<Raw> {
  const [response] = await once(request({ host: '127.0.0.1', port, path, headers: HTML }).end(), 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}

async function checkGuard(t: Test, port: number) {
  const origin = `http://127.0.0.1:${port}`
  const ask = (path: string, init: RequestInit = {}) => fetch(origin + path, { ...init, redirect: 'manual' })
  const differences = await findDifferences(GUARDED, String, async (checks, path) => {
    const address = marked(path)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      for (const sent of [headers, {}, { ...headers, purpose: 'prefetch', 'sec-purpose': 'prefetch' }]) {
        const response = await ask(address, { method, headers: sent })
        const name = `${method} with ${Object.keys(sent)}`
        checks.equal(response.status, 401, name)
        checks.lacks(await response.text(), SECRET, name)
        // So the browser loads the document.
        checks.equal(response.headers.has(BUILD_HEADER), false, `${name}: a page of the site`)
      }
    }
    checks.equal(acts.hydrantActs, 0, 'no action has run')
    const sent = { ...headers, authorization: AUTHORIZATION }
    const lines = linesOf(await (await ask(address, { headers: sent })).text())
    checks.equal(lines.at(-1), ['data', 1, { plain: SECRET }], 'for who knows the password')
    const acted = await ask(address, { method: 'POST', headers: sent })
    checks.match(await acted.text(), SECRET, 'the action for who knows the password')
    checks.equal(acts.hydrantActs, 1, 'it has run')
    acts.hydrantActs = 0
  })
  t.strictSame(differences, {})
  const resolved = await Promise.all(RESOLVED.map(async (path) => ({ path, ...(await askRaw(port, path)) })))
  const isOpen = ({ status, text }: Raw) => (status !== 400 && status !== 401) || text.includes(SECRET)
  t.strictSame(resolved.filter(isOpen), [])
  const elsewhere = ['/_hydrant/data/admin', '/_hydrant/admin?_hydrant', '/_hydrant?_hydrant=/admin']
  const texts = await Promise.all(elsewhere.map(async (path) => [path, await (await ask(path, { headers })).text()]))
  t.strictSame(
    texts.filter(([, text]) => text?.includes(SECRET)),
    [],
    'these lead nowhere',
  )
  t.match(linesOf(await (await ask('/open?_hydrant', { headers })).text()).at(-1), ['data', 1, { plain: 'open' }])
}

for (const [name, compose] of Object.entries({ nginx, HAProxy: haproxy, Caddy: caddy })) {
  t.test(`a path that ${name} protects is protected for navigations and forms too`, async (t) => {
    const [plain = 0] = await runProxy(t, 3, compose)
    await checkGuard(t, plain)
  })
}

t.test('a cache whose key is only the path stores no navigation, and its documents are not read as one', async (t) => {
  const [, cached] = await runProxy(t, 3, nginx)
  const ask = async (path: string, sent: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${cached}${path}`, { headers: sent })
    return { response, body: await response.text(), cache: response.headers.get('x-cache') }
  }
  for (const path of ['/open', '/admin', '/no/such/page']) {
    const first = await ask(marked(path), headers)
    t.equal(first.response.headers.get(BUILD_HEADER), headers[BUILD_HEADER])
    t.equal((await ask(marked(path), headers)).cache, 'MISS', 'the answer to a navigation is not kept')
    const visitor = await ask(marked(path), HTML)
    t.match(visitor.response.headers.get('content-type'), 'text/html', 'a visitor is led to the document')
  }
  const document = await ask('/open', HTML)
  t.match(document.response.headers.get('content-type'), 'text/html')
  t.equal((await ask('/open', HTML)).cache, 'HIT', 'documents are')
  const { response, cache } = await ask('/open?_hydrant', headers)
  t.equal(cache, 'HIT')
  t.notOk(response.headers.has(BUILD_HEADER), 'the browser sees that it is no answer to a navigation')
})
