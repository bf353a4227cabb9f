// Follows the recipes of docs/exporting.md: each service gets a failure, with its digest.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import t, { type Test } from 'tap'
import { startCli } from '../scripts/run-cli.ts'
import { buildSharing } from '../shared-compression.ts'
import { createTypedSite } from '../types/typed-site.ts'
import { until } from '../until.ts'
import { placeOf, readMarkdown } from './code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from './code/documented-packages.ts'
import { type SampleSite, sitesOf } from './code/sample-sites.ts'

const DOCUMENT = 'docs/exporting.md'
const FAILING = "export function load() {\n  throw new Error('no price')\n}\n"

await installDocumentedPackages()
const sites = sitesOf(DOCUMENT, readMarkdown(DOCUMENT))

for (const site of sites) {
  t.test(`the recipe of ${[...site.blocks.values()].map((block) => placeOf(block)).join(', ')}`, async (t) => {
    const service = await startService(t)
    const digest = await failIn(t, site, service.origin)
    await until(() => service.received.some((body) => body.includes(digest) && body.includes('no price')))
    t.pass('the service has the digest and the message')
  })
}

/** Starts the site as its recipe says. Returns the digest of a failure. */
async function failIn(t: Test, site: SampleSite, origin: string): Promise<string> {
  const dir = createTypedSite(t, {
    ...site.files,
    'pages/fail.server.ts': FAILING,
    'pages/fail.tsx': 'export default () => null\n',
  })
  linkDocumentedPackages(dir)
  await t.resolves(buildSharing({ dir }))
  const server = startCli(t, ['start'], {
    cwd: dir,
    node: site.blocks.has('instrument.js') ? ['--import', './instrument.js'] : [],
    env: {
      PORT: '0',
      SENTRY_DSN: `${origin.replace('//', '//key@')}/1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      SLACK_WEBHOOK_URL: origin,
    },
  })
  const [, url = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  const { headers } = await fetch(`${url}/fail`)
  return headers.get('x-error-digest') ?? 'no digest'
}

/** Starts a server that takes every request, and keeps the bodies. */
async function startService(t: Pick<Test, 'teardown'>) {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    received.push(await readBody(request))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, received }
}

async function readBody(request: IncomingMessage): Promise<string> {
  return await text(request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request)
}
