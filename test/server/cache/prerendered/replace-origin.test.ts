import { createHash } from 'node:crypto'
import t from 'tap'
import { replaceOrigin } from '../../../../src/server/cache/prerendered-pages.ts'

const FROM = 'http://0a1b.prerendered.invalid'
const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const respond = (body: string, scripts: readonly string[] = []) => ({ body, headers: [], scripts, styles: [] })
const replace = (body: string, to: string) => replaceOrigin(respond(body), FROM, to).body

t.test('replaces the origin in each of its spellings', async (t) => {
  const to = 'https://shop.example:8443'
  for (const [before, after] of [
    [`${FROM}/a`, 'https://shop.example:8443/a'],
    [FROM.toUpperCase(), 'https://shop.example:8443'],
    [encodeURIComponent(`${FROM}/a`), 'https%3A%2F%2Fshop.example%3A8443%2Fa'],
    ['http:\\/\\/0a1b.prerendered.invalid\\/a', 'https:\\/\\/shop.example:8443\\/a'],
    ['//0a1b.prerendered.invalid/a', '//shop.example:8443/a'],
    ['0a1bxprerendered.invalid', '0a1bxprerendered.invalid'],
    ['http://other.invalid', 'http://other.invalid'],
  ] as const)
    t.equal(replace(before, to), after)
})

t.test('replaces it in headers', async (t) => {
  const { headers } = replaceOrigin(
    { ...respond(''), headers: [['link', `<${FROM}/>; rel=canonical`]] },
    FROM,
    'http://a',
  )
  t.strictSame(headers, [['link', '<http://a/>; rel=canonical']])
})

t.test('allows the scripts that were allowed, and no others', async (t) => {
  const own = `self.url="${FROM}/"`
  const fixed = 'self.a=1'
  const foreign = `steal("${FROM}/")`
  const body = `<!-- <script> --><script>${foreign}</script><p title="<script>"></p><script type="x">${own}</script><script>${fixed}</script>`
  const { scripts, body: text } = replaceOrigin(respond(body, [hash(own), hash(fixed)]), FROM, 'http://a')
  t.strictSame(scripts, [hash('self.url="http://a/"'), hash(fixed)])
  t.match(text, '<script type="x">self.url="http://a/"</script>')
})
