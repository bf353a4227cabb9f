// Paths on Windows: drives, shares, spaces, letters that ASCII lacks, and names in any case.

import { resolve, win32 } from 'node:path'
import t, { type Test } from 'tap'
import { describePaths, type PathCases } from './path-cases.ts'
import { prepareWindows, runWindows } from './wine.ts'

type Described = ReturnType<typeof describePaths>[number]

const PLAIN = {
  isOutside: false,
  isInside: true,
  isServerFile: false,
  isInstalled: false,
  isCaller: false,
  isVirtual: false,
}

/** What differs between the two systems is the spelling of a path. */
const BOTH: Readonly<Record<string, Partial<Described>>> = {
  'pages/index.tsx': { ...PLAIN, path: 'pages/index.tsx', entry: './pages/index.tsx' },
  'pages/[id]/größe 日本.tsx': { ...PLAIN, path: 'pages/[id]/größe 日本.tsx', source: 'pages/[id]/größe 日本.tsx' },
  // The same letter in the form of macOS: another name, for each system.
  'pages/gro\u0308ße.tsx': { ...PLAIN, path: 'pages/gro\u0308ße.tsx' },
  'db.SERVER.ts': { ...PLAIN, isServerFile: true },
  'Server.TS': { ...PLAIN, isServerFile: true },
  'parts/db.server/a.ts': { ...PLAIN, isServerFile: true },
  'node_modules/react/index.js': { ...PLAIN, isInstalled: true, isCaller: true },
  '../lib/a.ts': { ...PLAIN, isOutside: true, isInside: false, path: '../lib/a.ts', source: '../lib/a.ts' },
  '..a/b.ts': { ...PLAIN, path: '..a/b.ts' },
}

const EACH = { isFound: true }

t.test('a path on Linux', async (t) => {
  const siteDir = '/srv/my site'
  const files = Object.keys(BOTH).map((path) => resolve(siteDir, path))
  check(t, describePaths({ siteDir, files }), files)
})

await prepareWindows()

for (const siteDir of ['C:\\Users\\Jürgen Müller\\site', '\\\\server\\share\\my site'])
  t.test(`a path on Windows in ${siteDir}`, async (t) => {
    const files = Object.keys(BOTH).map((path) => win32.resolve(siteDir, path))
    check(t, await describeOnWindows({ siteDir, files }), files)
  })

t.test('a path on another drive or share of Windows', async (t) => {
  const files = ['D:\\lib\\a b.ts', '\\\\other\\share\\lib\\a b.ts', 'd:\\Site\\db.server.ts']
  const described = await describeOnWindows({ siteDir: 'C:\\site', files })
  const far = { ...PLAIN, ...EACH, isOutside: true, isInside: false }
  t.match(described, [
    { ...far, path: 'D:/lib/a b.ts', entry: 'D:/lib/a b.ts', source: 'file:///D:/lib/a%20b.ts' },
    { ...far, path: '//other/share/lib/a b.ts', source: 'file://other/share/lib/a%20b.ts' },
    { ...far, isServerFile: true },
  ])
  t.strictSame(
    described.map(({ frame }) => frame),
    files,
  )
  t.equal(described[0]?.word, '"D:\\lib\\a b.ts"')
})

t.test('a site may be the root of a drive', async (t) => {
  const [described] = await describeOnWindows({ siteDir: 'S:\\', files: ['S:\\pages\\index.tsx'] })
  t.match(described, { ...PLAIN, ...EACH, path: 'pages/index.tsx', entry: './pages/index.tsx' })
})

t.test('the drive and the folders of Windows may be in any case', async (t) => {
  const files = ['c:\\SITE\\pages\\index.tsx']
  t.match(await describeOnWindows({ siteDir: 'C:\\site', files }), [{ isOutside: false, path: 'pages/index.tsx' }])
})

function check(t: Test, described: readonly Described[], files: readonly string[]) {
  t.match(
    described,
    Object.values(BOTH).map((expected) => ({ ...EACH, ...expected })),
  )
  t.strictSame(
    described.map(({ frame }) => frame),
    files,
  )
}

async function describeOnWindows(cases: PathCases): Promise<Described[]> {
  const { output } = await runWindows(['dist/test/windows/path-cases.js', JSON.stringify(cases)], { cwd: '.' })
  return JSON.parse(output) as Described[]
}
