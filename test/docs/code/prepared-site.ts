import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startCli } from '../../scripts/run-cli.ts'
import { buildSharing } from '../../shared-compression.ts'
import { createTypedSite } from '../../types/typed-site.ts'
import { givenSite } from './given-files.ts'

/** A built site that is served, and that has failed once. */
export interface PreparedSite {
  /** The folder that contains the site, as `my-site` and as `shop`, and `static-site`, whose pages are prerendered. */
  folder: string
  /** A short folder for socket files, whose paths have a limit. */
  sockets: string
  origin: string
  consoleOrigin: string
  /** The digest of the failure. */
  digest: string
}

const FAILING = "export default function Fail() {\n  throw new Error('no price')\n}\n"

/** Builds and starts the site that the documents leave to their readers. It stops at the end of the test. */
export async function prepareSite(t: Pick<Test, 'testdir' | 'teardown'>): Promise<PreparedSite> {
  const files = Object.entries({ ...givenSite, 'pages/fail.tsx': FAILING })
  const folder = createTypedSite(t, {
    ...Object.fromEntries(files.map(([path, text]) => [join('my-site', path), text])),
    'my-site/tsconfig.json': '{ "extends": "hydrant/tsconfig.json" }',
    'static-site/pages/index.tsx': 'export const prerender = true\nexport default () => <p>static</p>\n',
  })
  symlinkSync('my-site', join(folder, 'shop'))
  const sockets = mkdtempSync(join(tmpdir(), 'hydrant-'))
  t.teardown(() => rmSync(sockets, { recursive: true, force: true }))
  await buildSharing({ dir: join(folder, 'my-site') })
  const server = startCli(t, ['start', 'my-site'], { cwd: folder, env: { PORT: '0', HYDRANT_ADMIN: '127.0.0.1:0' } })
  const [, origin = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  const [, consoleOrigin = ''] = await server.waitFor(/console is at (http:[^"\s]+)/)
  const { headers } = await fetch(`${origin}/fail`)
  return { folder, sockets, origin, consoleOrigin, digest: headers.get('x-error-digest') ?? '' }
}
