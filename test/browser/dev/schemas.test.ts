/// <reference lib="dom" />

// Schemas under `hydrant dev`, whose edits take effect without a reload.

import t from 'tap'
import { LAYOUT, startDevSite } from './dev-site.ts'

const site = await startDevSite(t, {
  'pages/layout.tsx': LAYOUT,
  'pages/index.tsx': `
export default function Page({ fields, invalid, search, actionData }) {
  return (
    <form method="post" noValidate>
      <p id="search">{search.page}</p>
      <input id="name" {...fields.name} />
      <p id="error">{invalid?.issues.name}</p>
      <p id="done">{actionData}</p>
      <button id="send">Send</button>
    </form>
  )
}
`,
  'pages/index.server.ts': `
import { z } from 'zod'
export const form = z.object({ name: z.string().min(3, 'Too short') })
export const search = z.object({ page: z.coerce.number().default(1) })
export const action = ({ input }) => 'Hello ' + input.name
`,
  'pages/plain.tsx': 'export default ({ fields }) => <p id="fields">{typeof fields}</p>\n',
})

t.test('a page has its fields, and an edit of the schema changes them in place', async (t) => {
  const { page, says, errors, evaluate } = await site.open('/?page=2')
  await says('#search', '2')
  t.equal(await page.getAttribute('#name', 'minlength'), '3')
  await page.fill('#name', 'A')
  await page.click('#send')
  await says('#error', 'Too short')
  await page.waitForFunction(() => document.activeElement?.id === 'name')
  t.equal(await page.inputValue('#name'), 'A')
  await evaluate(() => document.documentElement.setAttribute('data-mark', ''), null)
  site.edit('pages/index.server.ts', "min(3, 'Too short')", "min(2, 'Far too short')")
  await page.waitForSelector('#name[minlength="2"]')
  t.equal(await page.inputValue('#name'), 'A')
  await page.click('#send')
  await says('#error', 'Far too short')
  await page.fill('#name', 'Ada')
  await page.click('#send')
  await says('#done', 'Hello Ada')
  t.ok(await evaluate(() => document.documentElement.hasAttribute('data-mark'), null), 'in the same document')
  t.strictSame(errors, [])
})

t.test('a page without a form has no fields, as in production', async (t) => {
  const { says, errors } = await site.open('/plain')
  await says('#fields', 'undefined')
  t.strictSame(errors, [])
})
