import { type ReactNode, Suspense, use, useState } from 'react'
import t from 'tap'
import { type ActionContext, HttpError, type LoadContext, redirect } from '../../../src/server/index.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const MARKDOWN = { accept: 'text/markdown' }

interface Late {
  text: Promise<string>
}
const SCRIPT = 'javascript:void 0'
const Part = ({ text }: Late) => <p>{use(text)}</p>

const site = {
  '/layout': ({ children }: { children: ReactNode }) => (
    <html lang="en">
      <head>
        <title>Teas &amp; more</title>
      </head>
      <body>
        <header>Shop</header>
        <nav>Menu</nav>
        <main id="main">{children}</main>
        <footer>End</footer>
      </body>
    </html>
  ),
  '/rich'() {
    const [count] = useState(7)
    return (
      <article>
        <h2>Teas {count}</h2>
        <p>
          See <a href="other?a=1#b">another</a>, <a href="#below">below</a>, <a href={SCRIPT}>nothing</a>,{' '}
          <a href="mailto:a@b.example">mail</a>.
        </p>
        <p hidden>secret</p>
        <form method="post">
          <input type="hidden" name="token" defaultValue="token-1" />
          <button type="submit">Buy</button>
        </form>
        <svg>
          <title>Icon</title>
        </svg>
        <img src="/tea.jpg" alt="A tea" />
        <img src="data:image/png;base64,AAAA" alt="" />
        <table>
          <thead>
            <tr>
              <th>Tea</th>
              <th>Price</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>Assam</td>
              <td>5</td>
            </tr>
          </tbody>
        </table>
        <pre>
          <code className="language-ts">{'const a = 1 < 2'}</code>
        </pre>
        <p>{'*not* emphasis'}</p>
      </article>
    )
  },
  '/late': {
    Component: ({ data }: { data: Late }) => (
      <>
        <Suspense fallback={<p>Wait.</p>}>
          <Part {...data} />
        </Suspense>
        <p>After it.</p>
      </>
    ),
    load: ({ url }: LoadContext): Late => ({
      text: new Promise((resolve, reject) =>
        setImmediate(() => {
          if (url.search === '?fail') reject(new Error('secret text'))
          else resolve('Long. '.repeat(5_000))
        }),
      ),
    }),
  },
  '/fails': {
    load() {
      throw new Error('secret text')
    },
  },
  '/refused': {
    load() {
      throw new HttpError(403, 'Only *members*')
    },
  },
  '/moved': { load: () => redirect('/rich') },
  '/kept': {
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'public, max-age=5')
      return 1
    },
  },
  '/guarded': {
    guard() {
      throw new HttpError(401, 'Sign in.')
    },
  },
  '/forever': { load: () => ({ part: new Promise(() => {}) }) },
  '/form': { action: ({ form }: ActionContext) => void form.get('a') },
  '/long': () => <p>{'x'.repeat(1_000_000)}</p>,
}

const { app, get, failuresOf } = await testSite(t, site, { timeouts: { renderMs: 20_000 } })
const markdown = (path: string, headers: Record<string, string> = {}) => get(path, { ...MARKDOWN, ...headers })

t.test('a page as Markdown is the content of its main element', async (t) => {
  const { statusCode, headers, body } = await markdown('/rich')
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(headers.vary, 'Accept, Accept-Encoding')
  t.equal(headers['cache-control'], 'private, no-cache')
  t.match(headers['content-security-policy'], "default-src 'none'")
  t.equal(
    body,
    `# Teas & more

## Teas 7

See [another](http://localhost/other?a=1#b), [below](#below), nothing, [mail](mailto:a@b.example).

![A tea](http://localhost/tea.jpg)

| Tea | Price |
| - | - |
| Assam | 5 |

\`\`\`ts
const a = 1 < 2
\`\`\`

\\*not\\* emphasis
`,
  )
})

t.test('the client decides with Accept', async (t) => {
  const types = {
    'text/markdown, text/html, */*': 'text/markdown',
    'text/html;q=0.5, text/markdown;q=0.9': 'text/markdown',
    'text/markdown;q=0.5, text/html': 'text/html',
    'text/markdown;q=0.1, application/json;q=0.2': 'application/json',
    'text/markdown;q=0, */*': 'text/html',
    'text/*': 'text/html',
    '*/*': 'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8': 'text/html',
    'text/html, application/xhtml+xml, */*;q=0.8': 'text/html',
  }
  for (const [accept, type] of Object.entries(types)) {
    const { headers } = await get('/kept', { ...HTML, accept })
    t.match(headers['content-type'], type, accept)
  }
})

t.test('no cache keeps the Markdown in place of the page', async (t) => {
  t.equal((await get('/kept')).headers['cache-control'], 'public, max-age=5')
  t.equal((await markdown('/kept')).headers['cache-control'], 'private, no-cache')
  const etag = String((await markdown('/kept')).headers.etag)
  t.match(etag, /^W\/"/)
  t.not(etag, (await get('/kept')).headers.etag)
  const same = await markdown('/kept', { 'if-none-match': etag })
  t.equal(same.statusCode, 304)
  t.equal(same.body, '')
  t.equal(same.headers.vary, 'Accept, Accept-Encoding')
  t.equal((await get('/kept', { ...HTML, 'if-none-match': etag })).statusCode, 200)
})

t.test('HEAD has the headers', async (t) => {
  const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/rich', headers: MARKDOWN })
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(headers['cache-control'], 'private, no-cache')
  t.equal(body, '')
})

t.test('a promise that rejects after the response to HEAD is a failure with the status that was sent', async (t) => {
  for (const headers of [HTML, MARKDOWN]) {
    const head = await app.inject({ method: 'HEAD', url: '/late?fail', headers })
    t.equal(head.statusCode, 200)
    await until(() => failuresOf(head).length > 0)
    t.match(failuresOf(head), [{ statusSent: 200, err: { message: 'secret text' } }])
  }
})

t.test('deferred parts are in their place, however long', async (t) => {
  const { statusCode, body } = await markdown('/late')
  t.equal(statusCode, 200)
  t.match(body, /^# Teas & more\n\nLong\. .{29900,}\n\nAfter it\.\n$/)
})

t.test('a part that fails is a failure, with the rest of the page', async (t) => {
  const response = await markdown('/late?fail')
  const [failure] = failuresOf(response)
  const { statusCode, headers, body } = response
  t.equal(statusCode, 500)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers.etag, undefined)
  t.equal(headers['x-error-digest'], failure?.digest)
  t.match(body, `After it.\n\n---\n\nApplication error: a server-side exception has occurred while loading localhost`)
  t.ok(body.endsWith(`\n\nDigest: ${failure?.digest}\n`))
  t.notMatch(body, 'secret')
})

t.test('a failure has its sentence and digest', async (t) => {
  const response = await markdown('/fails')
  const { statusCode, headers, body } = response
  const digest = failuresOf(response)[0]?.digest
  t.equal(statusCode, 500)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers['x-error-digest'], digest)
  t.equal(
    body,
    `# 500 Internal Server Error\n\nApplication error: a server-side exception has occurred while loading localhost (see the server logs for more information).\n\nDigest: ${digest}\n`,
  )
  const head = await app.inject({ method: 'HEAD', url: '/fails', headers: MARKDOWN })
  t.equal(head.statusCode, 500)
  t.equal(head.headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(head.body, '')
})

t.test('refusals, unknown paths and guards', async (t) => {
  t.equal((await markdown('/refused')).body, '# 403 Forbidden\n\nOnly \\*members\\*\n')
  const guarded = await markdown('/guarded')
  t.equal(guarded.statusCode, 401)
  t.equal(guarded.body, '# 401 Unauthorized\n\nSign in.\n')
  const unknown = await markdown('/no-such-page')
  t.equal(unknown.statusCode, 404)
  t.match(unknown.body, /^# 404 Not Found\n\n/)
  t.equal(unknown.headers['content-type'], 'text/markdown; charset=utf-8')
})

t.test('a redirect', async (t) => {
  const { statusCode, headers, body } = await markdown('/moved')
  t.equal(statusCode, 302)
  t.equal(headers.location, '/rich')
  t.equal(body, '')
})

t.test('the page after an action', async (t) => {
  const { statusCode, headers, body } = await app.inject({
    method: 'POST',
    url: '/form',
    headers: { ...MARKDOWN, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'a=1',
  })
  t.equal(statusCode, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(body, '# Teas & more\n\npage\n')
})

t.test('a page that is too long is refused', async (t) => {
  const { statusCode, body } = await markdown('/long')
  t.equal(statusCode, 406)
  t.match(body, 'This page is too long for Markdown; request text/html instead.')
})

t.test('a page that is never complete', async (t) => {
  const { get } = await testSite(t, site, { timeouts: { renderMs: 100 } })
  const response = await get('/forever', MARKDOWN)
  t.equal(response.statusCode, 504)
  t.match(response.body, 'Digest: ')
})

t.test('the option turns it off', async (t) => {
  const { get } = await testSite(t, site, { markdown: false })
  const { headers } = await get('/rich', MARKDOWN)
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.equal(
    (await get('/kept', { accept: 'text/markdown, application/json;q=0.5' })).headers['content-type'],
    `${JSON_ONLY.accept}; charset=utf-8`,
  )
})
