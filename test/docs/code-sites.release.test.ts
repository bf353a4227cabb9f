import { execFileSync } from 'node:child_process'
import t from 'tap'
import { startPostgres } from '../postgres.ts'
import { checkSites, findProblems } from './code/check-site.ts'
import { placeOf, readBlocks } from './code/code-block.ts'
import { installDocumentedPackages } from './code/documented-packages.ts'
import { readDocuments } from './code/documents.ts'
import { givenSecrets } from './code/given-files.ts'
import { sitesOf } from './code/sample-sites.ts'

Object.assign(process.env, givenSecrets)
await installDocumentedPackages()
const blocks = await readDocuments(t)

/** Creates a database with the tables of docs/databases.md. */
function createTables(name: string) {
  const program = blocks.find(({ path }) => path === 'migrate.js')?.text ?? ''
  process.env.DATABASE_URL = postgres.createDatabase(name)
  execFileSync(process.execPath, ['--input-type=module', '--eval', program])
}

const postgres = startPostgres(t)
const documents = new Set(blocks.map(({ document }) => document))
const sites = [...documents].flatMap((document) => sitesOf(document, blocks))
// All before the first test: one compiler for all sites reads the types of the packages once.
const checked = await checkSites(t.testdir({}), sites)

for (const [index, one] of checked.entries()) {
  const places = [...one.site.blocks.values()].map((block) => placeOf(block)).join(', ')
  t.test(`the site of ${places}`, async (t) => {
    if (one.site.document === 'docs/databases.md') createTables(`site_${index}`)
    t.strictSame(await findProblems(t, one), [])
  })
}

t.test('a problem is reported with its place in the document', async (t) => {
  const page = "import { href } from 'hydrant/react'\n\nexport default () => <a href={href('/missing')}>Missing</a>\n"
  const sites = sitesOf('a.md', readBlocks(`# Title\n\n\`\`\`tsx pages/index.tsx\n${page}\`\`\`\n`, 'a.md'))
  const [site] = await checkSites(t.testdir({}), sites)
  t.ok(site)
  if (site) t.match(await findProblems(t, site), [/^a\.md:6: error TS\d+: .*"\/missing"/])
})
