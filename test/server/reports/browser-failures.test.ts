import Fastify from 'fastify'
import t from 'tap'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { createFailures } from '../../../src/server/failures/failures.ts'
import { createSourceMapper, type SourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { createLog } from '../served.ts'

/** A mapper that counts the frames it maps. */
function createCountingMapper() {
  let count = 0
  const mapper: SourceMapper = {
    mapFrame(text) {
      count++
      return { text, frame: { file: 'pages/index.tsx', line: 1, column: 1, function: 'Page', isSite: true } }
    },
    mapName: (name) => name,
    codeAround: () => null,
  }
  return { mapper, count: () => count }
}

t.test('a failure that browsers report repeatedly is mapped to its source once for each mapper', async (t) => {
  const kept: FailureRecord[] = []
  const failures = createFailures({
    mapper: createSourceMapper('/site', []),
    files: { plugin: null, pageOf: () => undefined },
    release: 'one',
    digestKey: '',
    build: null,
    keep: (failure) => void kept.push(failure),
  })
  const mappers = { first: createCountingMapper(), second: createCountingMapper() }
  const app = Fastify({ logger: createLog().logger })
  t.teardown(() => app.close())
  // The route of reports reads a body as text, too: the message is part of the body, and is cached all the same.
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.post('/:mapper', (request, reply) => {
    const { mapper: name } = request.params as { mapper: 'first' | 'second' }
    const { message } = JSON.parse(request.body as string) as { message: string }
    failures.failInBrowser(
      {
        description: { type: 'Error', message, stack: '    at Page (https://localhost/page.js:1:1)' },
        mapper: mappers[name].mapper,
        route: '/',
        path: '/',
        placeFrames: () => [],
        components: () => [],
        release: 'one',
        build: null,
        isRecovered: false,
      },
      request,
    )
    reply.send('')
  })
  const report = (mapper: string, message: string) =>
    app.inject({
      method: 'POST',
      url: `/${mapper}`,
      headers: { 'content-type': 'text/plain', cookie: 'session=4711-4711' },
      payload: JSON.stringify({ message }),
    })
  for (let time = 0; time < 3; time++) await report('first', 'the same message')
  t.equal(mappers.first.count(), 1)
  await report('first', 'another message')
  t.equal(mappers.first.count(), 2)
  for (let time = 0; time < 2; time++) await report('second', 'the same message')
  t.equal(mappers.second.count(), 1, 'another mapper has its own cache')
  t.equal(kept.length, 6, 'each occurrence is kept')
  t.equal(new Set(kept.map(({ digest }) => digest)).size, 6)
  t.equal(new Set(kept.map(({ fingerprint }) => fingerprint)).size, 2)
})
