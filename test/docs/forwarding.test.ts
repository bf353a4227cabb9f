// Examples of proxies set the headers that Hydrant believes. If a proxy appends to the header of the visitor, or passes
// it on, the visitor chooses an address, unless `trustProxy` lists every proxy.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { walk } from '../scripts/walk.ts'

const FORWARDED = '(?:X-Forwarded-(?:For|Host|Proto|Port|Prefix)|X-Real-IP|Forwarded)'

/** Directives that append to such a header, or copy what the visitor has sent. */
const APPENDING = [
  // nginx
  `proxy_set_header\\s+"?${FORWARDED}"?\\s.*\\$(?:proxy_add_|http_x_|http_forwarded)`,
  // HAProxy
  `\\boption\\s+forwardfor\\b`,
  `\\boption\\s+forwarded\\b`,
  `http-request\\s+add-header\\s+${FORWARDED}`,
  `http-request\\s+set-header\\s+${FORWARDED}\\s.*req\\.(?:f?hdr|hdrs)\\(\\s*(?:x-)?(?:forwarded|real)`,
  // Apache
  `RequestHeader\\s+(?:add|append|merge)\\s+${FORWARDED}`,
  `ProxyAddHeaders\\s+On`,
  // Caddy
  `header_up\\s+\\+?"?${FORWARDED}"?\\s.*\\{(?:http\\.request\\.)?header\\.`,
  `header_up\\s+\\+${FORWARDED}`,
  `trusted_proxies\\b`,
  // Kubernetes, Traefik
  `(?:compute-full-forwarded-for|use-forwarded-headers).*true`,
  `forwardedHeaders\\.insecure`,
].map((source) => new RegExp(source, 'i'))

function linesThatAppend(text: string): string[] {
  return text.split('\n').filter((line) => APPENDING.some((pattern) => pattern.test(line)))
}

// Tests run in the project's folder.
const files = ['docs', 'site', 'templates', 'console', 'scripts', 'src']
  .flatMap((folder) => walk(folder).map((file) => join(folder, file)))
  .concat('README.md', 'CONTRIBUTING.md')
  .filter((file) => !/(?:^|\/)(?:\.hydrant|node_modules)\//.test(file))
  .filter((file) => !/\.(?:png|jpe?g|webp|avif|ico|woff2?|db)(?:-\w+)?$/.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

t.test('recognizes the directives', async (t) => {
  for (const line of [
    '  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    'proxy_set_header X-Forwarded-Proto $http_x_forwarded_proto;',
    'proxy_set_header Forwarded "$http_forwarded, for=$remote_addr";',
    '    option forwardfor',
    '  http-request add-header X-Forwarded-For %[src]',
    'RequestHeader append X-Forwarded-For "%{REMOTE_ADDR}s"',
    'header_up +X-Forwarded-For {remote_host}',
    'header_up X-Forwarded-For "{header.X-Forwarded-For}, {remote_host}"',
  ])
    t.strictSame(linesThatAppend(line), [line])
})

t.test('no example appends to a header of the visitor', async (t) => {
  t.ok(texts.size > 300, `${texts.size} files`)
  for (const [file, text] of texts) {
    const lines = linesThatAppend(text)
    if (lines.length > 0) t.strictSame(lines, [], file)
  }
})

t.test('every example for nginx sets the address, the host and the protocol', async (t) => {
  const examples = [...texts].filter(([, text]) => /^\s*proxy_set_header X-Forwarded-/m.test(text))
  t.match(
    examples.map(([file]) => file),
    ['docs/proxies/nginx-cache.conf', 'docs/proxies/nginx.conf', /^site\//],
  )
  for (const [file, text] of examples)
    for (const line of [
      'X-Forwarded-For $remote_addr;',
      'X-Forwarded-Host $http_host;',
      'X-Forwarded-Proto $scheme;',
      'Host $http_host;',
    ])
      t.ok(text.includes(`proxy_set_header ${line}`), `${file}: ${line}`)
})
