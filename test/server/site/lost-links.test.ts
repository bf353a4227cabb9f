import t from 'tap'
import { buildFiles, serve } from '../served.ts'

t.test('a value that no URL can have gives a link to the 404 page, and one failure', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.tsx': `import { href, useSubmission } from 'hydrant/react'
export default function Page({ data }) {
  const { form } = useSubmission('/tag/[tag]', { tag: '..' })
  return <form {...form}>{data.map((tag) => <a key={tag} href={href('/tag/[tag]', { tag })}>{tag}</a>)}</form>
}
`,
    'pages/index.server.ts':
      "export const load = () => ['tea', '.', '..', 'a/..', '../a', 'a/./b', 'a/.b', '..a/b..', '\\ud800']\n",
    'pages/tag/[tag].tsx': 'export default ({ params }) => <p>tag {params.tag}</p>\n',
    'pages/tag/[tag].server.ts': 'export const action = () => {}\n',
    'pages/moved.tsx': 'export default () => null\n',
    'pages/moved.server.ts': `import { redirect } from 'hydrant'
import { href } from 'hydrant/react'
export const load = () => redirect(href('/tag/[tag]', { tag: '..' }))
`,
    'pages/not-found.tsx': 'export default () => <p>own 404</p>\n',
  })
  for (const base of ['/', '/shop']) {
    const { get, log } = await serve(t, dir, { base })
    const prefix = base === '/' ? '' : base
    for (let run = 0; run < 2; run++) {
      const { statusCode, body } = await get(base)
      t.equal(statusCode, 200)
      t.strictSame(
        [...body.matchAll(/<(?:a href|form action)="([^"]*)"/g)].map(([, url]) => url),
        [
          '/_hydrant/no-page',
          '/tag/tea',
          '/_hydrant/no-page',
          '/_hydrant/no-page',
          '/_hydrant/no-page',
          '/_hydrant/no-page',
          '/_hydrant/no-page',
          '/tag/a%2F.b',
          '/tag/..a%2Fb..',
          '/tag/%EF%BF%BD',
        ].map((path) => prefix + path),
      )
    }
    for (const path of ['a%2F.b', '..a%2Fb..']) t.equal((await get(`${prefix}/tag/${path}`)).statusCode, 200, path)
    t.equal((await get(`${prefix}/moved`)).headers.location, `${prefix}/_hydrant/no-page`)
    const found = await get(`${prefix}/_hydrant/no-page`)
    t.equal(found.statusCode, 404)
    t.match(found.body, 'own 404')
    t.match(log.errors(), [
      {
        // Not that of an exception which ends the process.
        level: 50,
        err: { message: `href('/tag/[tag]'): "/tag/." would lead elsewhere, so the link leads to the 404 page` },
      },
    ])
    t.equal(log.errors().length, 1)
    t.match(log.errors()[0]?.err?.stack, /^\S.*\n\s+at .*pages\/index\.tsx:4:/)
  }
})
