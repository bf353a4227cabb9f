import t from 'tap'
import { createAppFolder, findAppProblems, isApp } from './code/check-apps.ts'
import { readBlocks } from './code/code-block.ts'
import { installDocumentedPackages } from './code/documented-packages.ts'
import { readDocuments } from './code/documents.ts'

await installDocumentedPackages()
const blocks = await readDocuments(t)
const dir = await createAppFolder(t)

t.test('the apps that the documents show', async (t) => {
  const apps = blocks.filter(isApp)
  t.ok(apps.length > 10)
  t.strictSame(await findAppProblems(dir, apps), [])
})

t.test('a problem is reported with its place in the document', async (t) => {
  const wrong = "```ts fragment\nawait app.register(hydrant, { dir: './my-site', base: 7 })\n```\n"
  t.match(await findAppProblems(dir, readBlocks(`\n${wrong}`, 'a.md')), [/^a\.md:3: error TS\d+: /])
  const failing = "```ts fragment\nthrow new Error('no database')\n```\n"
  t.match(await findAppProblems(dir, readBlocks(`\n${failing}`, 'a.md')), [/^a\.md:3: Error: no database/])
})
