import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BuildError } from '../../scripts/build-problem.ts'
import { formatProblem } from '../../scripts/terminal/format-error.ts'
import { errorTable } from '../../src/server/errors/error-table.ts'
import { buildSharing } from '../shared-compression.ts'
import { brokenSites } from './broken-sites.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'
import { runHere } from './run-here.ts'

async function findProblems(dir: string) {
  const error: unknown = await buildSharing({ dir }).then(
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

for (const { title, files, expected, message, fixes } of brokenSites) {
  t.test(`refuses ${title}`, async (t) => {
    const problems = await findProblems(createSite(t, { ...EMPTY_REACT, ...files }))
    t.strictSame(problems.map(show), expected)
    if (message) t.match(problems[0]?.message, message)
    for (const { fix } of problems) t.ok(fix)
    if (fixes)
      t.match(
        problems.map(({ fix }) => fix),
        fixes,
      )
  })
}

t.test('refuses a folder without pages/', async (t) => {
  const dir = t.testdir({ 'README.md': '' })
  t.strictSame((await findProblems(dir)).map(show), ['HYD_BUILD_PAGES_MISSING '])
})

t.test('names the folder of the site if it is started in the folder around it', async (t) => {
  const dir = t.testdir({ site: { pages: {} }, src: {}, node_modules: { a: { pages: {} } } })
  t.match(await findProblems(dir), [
    { message: 'the site has no folder pages/; site/ has one', fix: /"hydrant build site"/ },
  ])
  t.match(await runHere(['start', dir]), {
    code: 1,
    stderr: /HYD_BUILD_MISSING.*\nTry: Pass the folder of the site.* site\//,
  })
  t.match((await runHere(['info', dir])).stdout, 'the site has no folder pages/; site/ has one')
})

t.test('refuses a link in public/ that leads out of it, and follows one that does not', async (t) => {
  const dir = createSite(t, { ...EMPTY_REACT, 'public/a.txt': 'a', 'secret.txt': 's' })
  symlinkSync('a.txt', join(dir, 'public', 'b.txt'))
  const { manifest } = await buildSharing({ dir })
  t.strictSame(manifest.publicFiles, ['a.txt', 'b.txt'])
  symlinkSync('../secret.txt', join(dir, 'public', 'c.txt'))
  t.strictSame((await findProblems(dir)).map(show), ['HYD_BUILD_PUBLIC_LINK public/c.txt'])
})

t.test('refuses a link in place of a file of the site that leads nowhere', async (t) => {
  const dir = createSite(t, { ...EMPTY_REACT, 'pages/a/b.tsx': 'export default () => null\n' })
  for (const [path, target] of Object.entries({
    'server.ts': 'missing.ts',
    'hydrant.config.ts': 'hydrant.config.ts',
    public: 'nowhere',
    'pages/x.tsx': '../missing.tsx',
    'pages/self.tsx': 'self.tsx',
    'pages/a/up': '..',
    // The lock of an editor.
    'pages/.#x.tsx': 'me@machine.7',
    'notes.md': 'missing.md',
  }))
    symlinkSync(target, join(dir, path))
  t.strictSame((await findProblems(dir)).map(show).sort(), [
    'HYD_BUILD_LINK hydrant.config.ts',
    'HYD_BUILD_LINK pages/a/up',
    'HYD_BUILD_LINK pages/self.tsx',
    'HYD_BUILD_LINK pages/x.tsx',
    'HYD_BUILD_LINK public',
    'HYD_BUILD_LINK server.ts',
  ])
})

t.test('reports a file that cannot be written, and leaves no unfinished folder', async (t) => {
  // With the hash of its content, the name is longer than the 255 characters that file systems allow.
  const name = `${'a'.repeat(245)}.png`
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'pages/index.tsx': `import image from './${name}'\nexport default () => <img src={image} alt="" />\n`,
    [`pages/${name}`]: 'an image',
  })
  await t.rejects(buildSharing({ dir }), {
    code: 'HYD_BUILD_WRITE',
    message: new RegExp(`${join(dir, '.hydrant')}.*ENAMETOOLONG`),
  })
  t.strictSame(
    readdirSync(dir).filter((file) => file.startsWith('.hydrant')),
    [],
  )
})

t.test('has a broken site for each of its errors', async (t) => {
  const tested = brokenSites.flatMap(({ expected }) => expected.map((line) => line.split(' ')[0]))
  const elsewhere = [
    // Tested above.
    'HYD_BUILD_FAILED',
    'HYD_BUILD_LINK',
    'HYD_BUILD_PAGES_MISSING',
    'HYD_BUILD_PUBLIC_LINK',
    'HYD_BUILD_WRITE',
    // Warnings, tested in doubtful-names.process.test.ts.
    'HYD_BUILD_FILE_NAME',
    'HYD_BUILD_PAGE_EXPORT',
    'HYD_BUILD_EXPORT_VALUE',
    'HYD_BUILD_ASYNC_COMPONENT',
    'HYD_BUILD_HTML_ELEMENT',
    'HYD_BUILD_FORM_UNUSED',
    'HYD_BUILD_TSCONFIG',
    // Warnings, tested in css-modules.test.ts.
    'HYD_BUILD_STYLESHEET_NAMES',
    'HYD_BUILD_CLASS_NAME',
    // A warning, tested in images.process.test.ts.
    'HYD_BUILD_SHARP',
    // Tested with the real library, in test/package/create-tailwind.ts.
    'HYD_BUILD_TAILWIND',
    'HYD_BUILD_REACT_COMPILER',
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
    ...EMPTY_REACT,
    'pages/index.tsx': `
      import { FailureBoundary } from 'hydrant/react'
      import type { load } from './index.server'
      export default ({ data }: { data: ReturnType<typeof load> }) => <FailureBoundary><p>{data}</p></FailureBoundary>
    `,
    'pages/index.server.ts': "import { hostname } from 'node:os'\nexport const load = () => hostname()\n",
  })
  await t.resolves(buildSharing({ dir }))
})

t.test('shows a problem with its position, the line and a fix', async (t) => {
  const [problem] = await findProblems(
    createSite(t, { ...EMPTY_REACT, 'pages/a.tsx': '\n\texport default () => <p>a</b>\n' }),
  )
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
