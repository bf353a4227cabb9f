import t from 'tap'
import { convertDocument } from '../../../src/server/markdown/convert.ts'
import { createMarkdownConverter } from '../../../src/server/markdown/markdown-converter.ts'

const ADDRESS = 'https://shop.example/teas/assam?a=1'
const task = (html: string) => ({ html, address: ADDRESS })
const LONG_ENOUGH = 60_000

t.test('a document without main is its body without header, nav and footer', async (t) => {
  const html =
    '<body><header>h</header><nav>n</nav><h1>Tea</h1><section><nav>contents</nav></section><footer>f</footer>'
  t.equal(convertDocument(html, ADDRESS), '# Tea\n\ncontents\n')
})

t.test('what only a browser shows is left out', async (t) => {
  const html =
    '<main><h1>Tea<a aria-hidden="true" href="#tea">#</a></h1><template>t</template><noscript>n</noscript>' +
    '<dialog>d</dialog><textarea>secret</textarea><select><option>o</select><style>s</style><p>a<!-- c -->b</p></main>'
  t.equal(convertDocument(html, ADDRESS), '# Tea\n\nab\n')
})

t.test('URLs are resolved against the base of the document', async (t) => {
  const html =
    '<head><base href="/docs/"></head><main><h1>T</h1><a href="x">y</a> <img src="blob:z" alt="picture"></main>'
  t.equal(convertDocument(html, ADDRESS), '# T\n\n[y](https://shop.example/docs/x) picture\n')
})

t.test('an empty document', async (t) => {
  t.equal(convertDocument('', ADDRESS), '')
})

t.test('documents are converted one after another, by a thread that ends when it is idle', async (t) => {
  const converter = createMarkdownConverter(LONG_ENOUGH, 0)
  t.teardown(() => converter.close())
  const convert = (html: string) => converter.convert(task(html), () => {})
  t.strictSame(await Promise.all([convert('<p>a'), convert('<p>b'), convert('<p>c')]), ['a\n', 'b\n', 'c\n'])
  for (const text of ['d', 'e']) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    t.equal(await convert(`<p>${text}`), `${text}\n`)
  }
})

t.test('a document that waits can be dropped', async (t) => {
  const converter = createMarkdownConverter(LONG_ENOUGH)
  t.teardown(() => converter.close())
  const first = converter.convert(task('<p>a'), () => {})
  const second = converter.convert(task('<p>b'), (stop) => queueMicrotask(stop))
  t.equal(await second, null)
  t.equal(await first, 'a\n')
})

t.test('a document that cannot be converted is a failure, and the next one is converted', async (t) => {
  const converter = createMarkdownConverter(LONG_ENOUGH)
  t.teardown(() => converter.close())
  const deep = '<div>'.repeat(20_000)
  await t.rejects(
    converter.convert(task(`${deep}a`), () => {}),
    { code: 'HYD_MARKDOWN_FAILED' },
  )
  t.equal(await converter.convert(task('<p>b'), () => {}), 'b\n')
})

t.test('the deadline ends the thread, and those that wait with it', async (t) => {
  const converter = createMarkdownConverter(1)
  t.teardown(() => converter.close())
  const long = task('<ul>'.concat('<li><p>a'.repeat(50_000)))
  const both = [converter.convert(long, () => {}), converter.convert(long, () => {})]
  for (const one of both) await t.rejects(one, { code: 'HYD_RENDER_TIMEOUT', statusCode: 504 })
})

t.test('documents are rejected when the site closes', async (t) => {
  const converter = createMarkdownConverter(LONG_ENOUGH)
  const both = [converter.convert(task('<p>a'), () => {}), converter.convert(task('<p>b'), () => {})]
  const rejected = both.map((one) => t.rejects(one, { code: 'HYD_MARKDOWN_FAILED' }))
  await converter.close()
  await Promise.all(rejected)
})
