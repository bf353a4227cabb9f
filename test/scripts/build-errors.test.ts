import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildSite } from '../../scripts/build/site-builder.ts'
import { BuildError } from '../../scripts/build-problem.ts'
import { formatProblem } from '../../scripts/terminal/format-problem.ts'
import { errorTable } from '../../src/server/errors/error-table.ts'
import { brokenSites } from './broken-sites.ts'
import { createSite } from './create-site.ts'

async function findProblems(dir: string) {
  const error: unknown = await buildSite({ dir, mode: 'production' }).then(
    () => null,
    (reason) => reason,
  )
  if (!(error instanceof BuildError)) throw error ?? new Error('The site has been built.')
  return error.problems
}

function show({ code, location }: Awaited<ReturnType<typeof findProblems>>[number]): string {
  const { file = '', line = null, column = null } = location ?? {}
  return `${code} ${[file, line, column].filter((part) => part !== null).join(':')}`
}

for (const { title, files, expected, message } of brokenSites) {
  t.test(`refuses ${title}`, async (t) => {
    const problems = await findProblems(createSite(t, files))
    t.strictSame(problems.map(show), expected)
    if (message) t.match(problems[0]?.message, message)
    for (const { fix } of problems) t.ok(fix)
  })
}

t.test('refuses a folder without pages/', async (t) => {
  const dir = t.testdir({ 'README.md': '' })
  t.strictSame((await findProblems(dir)).map(show), ['HYD_BUILD_PAGES_MISSING '])
})

t.test('refuses a link in public/ that leads out of it, and follows one that does not', async (t) => {
  const dir = createSite(t, { 'public/a.txt': 'a', 'secret.txt': 's' })
  symlinkSync('a.txt', join(dir, 'public', 'b.txt'))
  const { manifest } = await buildSite({ dir, mode: 'development' })
  t.strictSame(manifest.publicFiles, ['a.txt', 'b.txt'])
  symlinkSync('../secret.txt', join(dir, 'public', 'c.txt'))
  t.strictSame((await findProblems(dir)).map(show), ['HYD_BUILD_PUBLIC_LINK public/c.txt'])
})

t.test('reports a folder that cannot be written', async (t) => {
  const dir = createSite(t, {})
  // A file is in the place of the folder that contains the build's folder.
  writeFileSync(join(dir, `.hydrant`), '')
  const broken = join(dir, '.hydrant', 'no-folder')
  await t.rejects(buildSite({ dir: join(dir), mode: 'development', folder: '.hydrant/no-folder' }), {
    code: 'HYD_BUILD_WRITE',
    message: new RegExp(broken),
  })
})

t.test('has a broken site for each of its errors', async (t) => {
  const tested = brokenSites.flatMap(({ expected }) => expected.map((line) => line.split(' ')[0]))
  const elsewhere = [
    // Tested above.
    'HYD_BUILD_FAILED',
    'HYD_BUILD_PAGES_MISSING',
    'HYD_BUILD_PUBLIC_LINK',
    'HYD_BUILD_WRITE',
    // Tested with the server that reads a build.
    'HYD_BUILD_MISSING',
    'HYD_BUILD_INCOMPLETE',
    'HYD_BUILD_VERSION',
    'HYD_BUILD_BROKEN',
  ]
  const codes = Object.keys(errorTable).filter((code) => code.startsWith('HYD_BUILD_'))
  t.strictSame(
    codes.filter((code) => !tested.includes(code) && !elsewhere.includes(code)),
    [],
  )
})

t.test('allows a browser module the types of a server one, and hydrant/react', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': `
      import { FailureBoundary } from 'hydrant/react'
      import type { load } from './index.server'
      export default ({ data }: { data: ReturnType<typeof load> }) => <FailureBoundary><p>{data}</p></FailureBoundary>
    `,
    'pages/index.server.ts': "import { hostname } from 'node:os'\nexport const load = () => hostname()\n",
  })
  await t.resolves(buildSite({ dir, mode: 'development' }))
})

t.test('shows a problem with its position, the line and a fix', async (t) => {
  const [problem] = await findProblems(createSite(t, { 'pages/a.tsx': '\n\texport default () => <p>a</b>\n' }))
  t.equal(
    problem && formatProblem(problem),
    [
      'Error [HYD_BUILD_SYNTAX] Unexpected closing "b" tag does not match opening "p" tag',
      '  at pages/a.tsx:2:29',
      '',
      '  2 |  export default () => <p>a</b>',
      '    |                             ^',
      '',
      'Try: Correct the source at that place.',
    ].join('\n'),
  )
})
