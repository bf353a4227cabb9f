import t from 'tap'
import { DocumentSink } from '../../../src/server/render/document-sink.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom } from '../../shared/random.ts'

const DOCUMENT = '<html><head><title>漢 é 😀</title></head><body>ünï 😀 漢字 <b>…</b></body></html>'
const WHOLE = '<html><head><title>漢 é 😀</title><link/></head><body>ünï 😀 漢字 <b>…</b><i/></body></html>'

/** Cuts bytes at any position, including inside characters. */
function cutBytes(text: string, seed: number): Uint8Array[] {
  const random = createRandom(seed)
  const bytes = Buffer.from(text)
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random.below(5)
    parts.push(bytes.subarray(at, at + length))
    at += length
  }
  return parts
}

t.test('accepts text and bytes, wherever the bytes are cut', async (t) => {
  const seeds = Array.from({ length: 50 }, (_, seed) => seed)
  const close = (seed: number) => {
    let ended = 0
    const sink = new DocumentSink(
      (_isStreamed, head) => `${head ?? ''}<link/>`,
      1_000,
      () => ended++,
    )
    for (const part of cutBytes(DOCUMENT, seed)) sink.write(part)
    sink.end()
    sink.add('<i/>')
    return [sink.close(), ended]
  }
  t.strictSame(await findFailing(seeds, close, () => [WHOLE, 1]), [])
  const sink = new DocumentSink(
    (_isStreamed, head) => head ?? '',
    1_000,
    () => {},
  )
  for (const part of ['<p>', Buffer.from('é'), 'ü', Buffer.from('</p>')]) sink.write(part)
  sink.end()
  t.equal(sink.close(), '<p>éü</p>', 'in turn')
})

t.test('additions come before the end of the body', async (t) => {
  const sink = new DocumentSink(
    (_isStreamed, head) => `${head ?? ''}<link/>`,
    1_000,
    () => {},
  )
  sink.write('<html><head></head><body>')
  sink.add('<script>1</script>')
  sink.write('<p>"</body>" in text</p></body></html>')
  sink.end()
  sink.add('<script>2</script>')
  t.equal(
    sink.close(),
    '<html><head><link/></head><body><script>1</script><p>"</body>" in text</p><script>2</script></body></html>',
  )
})

t.test('streams the collected output, then each batch, then the end', async (t) => {
  const sink = new DocumentSink(
    (_isStreamed, head) => `${head ?? ''}<link/>`,
    1_000,
    () => {},
  )
  sink.write('<html><head></head><body>shell')
  const stream = sink.startStream().setEncoding('utf8')
  const parts: string[] = []
  stream.on('data', (part: string) => parts.push(part))
  sink.write('one')
  sink.write('two')
  sink.flush()
  await new Promise((resolve) => stream.once('data', resolve))
  sink.write('three</body></html>')
  sink.flush()
  sink.end()
  sink.add('<script/>')
  t.equal(sink.close(), '')
  await new Promise((resolve) => stream.once('end', resolve))
  t.equal(parts.join(''), '<html><head><link/></head><body>shellonetwothree<script/></body></html>')
})

t.test('a render that fails ends the document and gives the reason', async (t) => {
  const broken: unknown[] = []
  const sink = new DocumentSink(
    (_isStreamed, head) => head ?? '',
    1_000,
    (why) => broken.push(why),
  )
  sink.write('<html><body>begun')
  const reason = new Error('no more')
  sink.destroy(reason)
  sink.destroy(reason)
  sink.add('<script/>')
  t.equal(sink.close(), '<html><body>begun<script/></body></html>')
  t.strictSame(broken, [{ error: reason }], 'once')
  t.ok(sink.isEnded)
})

t.test('output for a closed stream is dropped', async (t) => {
  const sink = new DocumentSink(
    (_isStreamed, head) => head ?? '',
    1_000,
    () => t.fail('it has not ended by itself'),
  )
  sink.write('<html>')
  const stream = sink.startStream()
  sink.discard()
  t.ok(stream.destroyed)
  t.ok(sink.isEnded)
  sink.destroy(new Error('late'))
})

t.test('throws for output beyond the maximum length, whatever has been sent', async (t) => {
  const broken: unknown[] = []
  const sink = new DocumentSink(
    (_isStreamed, head) => head ?? '',
    10,
    (why) => broken.push(why),
  )
  sink.write('12345')
  sink.startStream().resume()
  sink.write('67890')
  t.throws(() => sink.write('1'), {
    code: 'HYD_DOCUMENT_TOO_LONG',
    message: 'the document is longer than 10 characters',
  })
})

t.test('additions come before the end of a document without a body, whatever its data contains', async (t) => {
  for (const [written, expected] of [
    [
      '<html><head></head><script>"</body></html>"</script></html>',
      '<html><head></head><script>"</body></html>"</script><i/></html>',
    ],
    ['<p>"</body>"</p>', '<p>"</body>"</p><i/>'],
    ['<body><p>"</body>"</p></body>', '<body><p>"</body>"</p><i/></body>'],
  ] as const) {
    const sink = new DocumentSink(
      (_isStreamed, head) => head ?? '',
      1_000,
      () => {},
    )
    sink.write(written)
    sink.end()
    sink.add('<i/>')
    t.equal(sink.close(), expected)
  }
})
