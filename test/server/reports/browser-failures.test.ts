import Fastify from 'fastify'
import t from 'tap'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { createFailures } from '../../../src/server/failures/failures.ts'
import { createSourceMapper, type SourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { createLog } from '../served.ts'

t.test('a failure that browsers report repeatedly is mapped to its source once', async (t) => {
  const kept: FailureRecord[] = []
  const failures = createFailures({
    mapper: createSourceMapper('/site', []),
    files: { plugin: null, pageOf: () => undefined },
    release: 'one',
    digestKey: '',
    build: null,
    keep: (failure) => void kept.push(failure),
  })
  let count = 0
  const mapper: SourceMapper = {
    mapFrame(text) {
      count++
      return { text, frame: { file: 'pages/index.tsx', line: 1, column: 1, function: 'Page', isSite: true } }
    },
    mapName: (name) => name,
    codeAround: () => null,
  }
  const app = Fastify({ logger: createLog().logger })
  t.teardown(() => app.close())
  app.get('/:message', (request, reply) => {
    const { message } = request.params as { message: string }
    const description = { type: 'Error', message, stack: '    at Page (https://localhost/page.js:1:1)' }
    const told = {
      mapper,
      route: '/',
      path: '/',
      placeFrames: () => [],
      release: 'one',
      digestKey: '',
      build: null,
      isRecovered: false,
    }
    failures.failInBrowser({ description, ...told }, request)
    reply.send('')
  })
  for (let time = 0; time < 3; time++) await app.inject('/same')
  t.equal(count, 1)
  await app.inject('/other')
  t.equal(count, 2)
  t.equal(kept.length, 4, 'and each is kept')
  t.equal(new Set(kept.map(({ digest }) => digest)).size, 4)
})
