// A client can decompress the shell of a streamed page while a slow part is pending.

import { request } from 'node:http'
import { join } from 'node:path'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import t from 'tap'
import { readManifest } from '../../../src/server/build-output/read-build.ts'
import { LONG_DEADLINES, startSite } from '../../site-server.ts'
import { buildFiles, type Files, HTML } from '../served.ts'

const site: Files = {
  'pages/slow.tsx': `import { Suspense, use } from 'react'
function Later({ promise }) { return <b>{use(promise)}</b> }
export default function Page({ data }) {
  return <><p>the shell</p>{data.parts.map((part, index) => <Suspense key={index} fallback={<i>wait</i>}><Later promise={part} /></Suspense>)}</>
}
`,
  'pages/slow.server.ts': 'export const load = ({ app }) => ({ parts: app.gates.add() })\n',
  'server.ts': `export default async function server(app) {
  const waiting = []
  const part = () => new Promise((resolve) => waiting.push(resolve))
  app.decorate('gates', { add: () => [part(), part()] })
  app.get('/release', async () => { waiting.shift()?.('released ' + waiting.length); return 'released' })
}
`,
}

const dir = await buildFiles(t.testdir({}), site)

const { buildId } = readManifest(join(dir, '.hydrant'))

for (const reactServer of ['bun', 'node']) {
  t.test(`rendered by React's build for ${reactServer}`, async (t) => {
    const { port } = await startSite(t, { dir, env: { ...LONG_DEADLINES, HYDRANT_REACT_SERVER: reactServer } })
    for (const encoding of ['br', 'gzip'] as const) {
      for (const [path, shell, end] of [
        ['/slow', 'the shell', '</html>'],
        ['/slow?_hydrant', '["start"', '\n'],
      ] as const) {
        // Each part is released when the part before it has been decompressed.
        const awaited = [shell, 'released 1', 'released 0']
        const text = await read(port, path, encoding, async (soFar) => {
          while (awaited[0] !== undefined && soFar().includes(awaited[0])) {
            awaited.shift()
            await fetch(`http://127.0.0.1:${port}/release`)
          }
        })
        t.strictSame(awaited, [], `${path} in ${encoding}: all parts came, one after the other`)
        t.ok(text.endsWith(end))
      }
    }
  })
}

/** Decompresses a stream as a browser does. `look` is called with each part. */
function read(port: number, path: string, encoding: 'br' | 'gzip', look: (soFar: () => string) => Promise<void>) {
  return new Promise<string>((resolve, reject) => {
    const headers = { ...HTML, 'accept-encoding': encoding, 'hydrant-build': buildId }
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, (incoming) => {
      if (incoming.headers['content-encoding'] !== encoding) return reject(new Error('It is not compressed.'))
      const text = incoming.pipe(encoding === 'br' ? createBrotliDecompress() : createGunzip()).setEncoding('utf8')
      let soFar = ''
      text.on('data', (part: string) => {
        soFar += part
        look(() => soFar).catch(reject)
      })
      text.on('error', reject)
      text.on('end', () => resolve(soFar))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
