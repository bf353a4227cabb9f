import { pathToFileURL } from 'node:url'
import t from 'tap'
import { withoutCallers } from '../../../../src/server/failures/error-analyzer.ts'
import { type MappedFrame, readFrame } from '../../../../src/server/failures/stacks/stack-frame.ts'
import { findFailing } from '../../../find-failing.ts'

/** Frames by the names that the tests use. */
const FRAMES: Record<string, string> = {
  site: 'load (pages/a.server.ts:1:1)',
  node: 'readFileSync (node:fs:1:1)',
  native: 'JSON.parse (<anonymous>)',
  package: 'query (/site/node_modules/some-package/index.js:1:1)',
  react: 'renderElement (/site/node_modules/react-dom/server.js:1:1)',
  scheduler: 'work (/site/node_modules/scheduler/index.js:1:1)',
  fastify: 'preHandler (/site/node_modules/fastify/lib/hooks.js:1:1)',
  hydrant: `respond (${pathToFileURL('dist/src/server/pages/serve-page.js').href}:1:1)`,
  waits: 'async settle (/site/node_modules/hydrant/dist/src/server/bundle/chunk.js:1:1)',
}

function mappedFrame(name: string): MappedFrame {
  const text = `    at ${FRAMES[name]}`
  const read = readFrame(text)
  if (!read) return { text, frame: null }
  const { location: file, line, column } = read
  return { text, frame: { file, line, column, function: '', isSite: name === 'site' } }
}

t.test('the frames that called the site or a package are omitted, unless Hydrant itself failed', async (t) => {
  const cases = [
    ['node site node site hydrant fastify', 'node site node site'],
    ['node waits waits', 'node'],
    ['native waits', 'native'],
    ['package node react hydrant fastify', 'package node'],
    ['react package react fastify', 'react package'],
    ['react react scheduler node', ''],
    ['fastify node hydrant', ''],
    ['waits', ''],
    ['hydrant fastify node', 'hydrant fastify node'],
    ['node hydrant fastify', 'node hydrant fastify'],
    ['native hydrant', 'native hydrant'],
    ['hydrant fastify', '', 'HydrantError'],
    ['package hydrant fastify', 'package'],
    ['node native', 'node native'],
    ['', ''],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      ([given, , type = 'TypeError']) => {
        const names = given.split(' ').filter(Boolean)
        return names.slice(0, withoutCallers(names.map(mappedFrame), type).length).join(' ')
      },
      ([, kept]) => kept,
    ),
    [],
  )
})
