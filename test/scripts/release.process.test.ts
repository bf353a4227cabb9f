// `npm run release`: the release notes, the provenance, and the states that it refuses.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createUserEnv } from '../user-env.ts'

const run = promisify(execFile)
const PROGRAM = resolve('dist/scripts/release/prepare-release.js')

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-23

### Fixed

- The second thing.

## [1.1.0] - 2026-11-01

- The first thing.
`
const MANIFEST = {
  name: 'a-package',
  version: '1.2.0',
  files: ['index.js'],
  repository: { type: 'git', url: 'git+https://git.example/a-package.git' },
  engines: { node: '>=20' },
  peerDependencies: { react: '^19.2.0', fastify: '^5.12.0' },
}

/** Creates a repository with one commit, which has the tag of the version. */
async function createRepository(
  t: Pick<Test, 'testdir'>,
  manifest: object = MANIFEST,
  changelog = CHANGELOG,
): Promise<string> {
  const dir = t.testdir({
    'package.json': JSON.stringify(manifest),
    'package-lock.json': '{}',
    'CHANGELOG.md': changelog,
    'README.md': '# A package\n',
    'index.js': 'export default 1\n',
    '.gitignore': '.build\n',
  })
  await git(dir, 'init', '--quiet')
  await git(dir, 'add', '.')
  await git(dir, '-c', 'user.name=A', '-c', 'user.email=a@git.example', 'commit', '--quiet', '-m', 'test: begin')
  await git(dir, 'tag', 'v1.2.0')
  return dir
}

async function git(dir: string, ...words: string[]): Promise<string> {
  return (await run('git', words, { cwd: dir })).stdout.trim()
}

async function release(dir: string, ...flags: string[]) {
  const ended = run(process.execPath, [PROGRAM, ...flags], { cwd: dir, env: createUserEnv() })
  return await ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

const hash = (algorithm: string, file: string) => createHash(algorithm).update(readFileSync(file)).digest('hex')

const released = await createRepository(t)

t.test('writes the tarball, the notes of its version and the provenance', async (t) => {
  const dir = released
  const { code, stdout, stderr } = await release(dir)
  t.equal(code, 0)
  t.notMatch(stderr, 'cannot be released')
  t.match(stdout, 'npm publish .build/release/a-package-1.2.0.tgz --provenance')
  const output = join(dir, '.build/release')
  const notes = readFileSync(join(output, 'release-notes.md'), 'utf8')
  t.match(
    notes,
    /^# a-package 1\.2\.0\n\n### Fixed\n\n- The second thing\.\n\n## Package\n\n- Install: `npm install a-package@1\.2\.0`/,
  )
  t.match(notes, 'Node.js `>=20`, React `^19.2.0`, Fastify `^5.12.0`')
  t.notMatch(notes, 'The first thing')
  const tarball = join(output, 'a-package-1.2.0.tgz')
  t.match(notes, `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`)
  t.match(JSON.parse(readFileSync(join(output, 'provenance.json'), 'utf8')), {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'pkg:npm/a-package@1.2.0', digest: { sha512: hash('sha512', tarball) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: /^https:/,
        internalParameters: { node: process.version },
        resolvedDependencies: [
          {
            uri: 'git+https://git.example/a-package.git@refs/tags/v1.2.0',
            digest: { gitCommit: await git(dir, 'rev-parse', 'HEAD') },
          },
          { digest: { sha256: hash('sha256', join(dir, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: String }, metadata: { startedOn: /Z$/, finishedOn: /Z$/ } },
    },
  })
})

t.test('the same files give the same tarball', async (t) => {
  t.equal((await release(released, '--dry-run', '--output', '.build/again')).code, 0)
  const [one, two] = ['release', 'again'].map((name) =>
    hash('sha512', join(released, '.build', name, 'a-package-1.2.0.tgz')),
  )
  t.equal(one, two)
})

t.test('lists each reason why a state must not be released, and writes nothing', async (t) => {
  const { repository: _, ...manifest } = MANIFEST
  const changelog = CHANGELOG.replace(' - 2026-11-23', ' - unreleased').replace(
    '[Unreleased]\n',
    '[Unreleased]\n\n- The last thing.\n',
  )
  const dir = await createRepository(t, manifest, changelog)
  await git(dir, 'tag', '--delete', 'v1.2.0')
  writeFileSync(join(dir, 'index.js'), 'export default 2\n')
  const { code, stdout, stderr } = await release(dir)
  t.strictSame({ code, stdout }, { code: 1, stdout: '' })
  for (const problem of [
    /^1\.2\.0 cannot be released yet:\n- Set "repository"/,
    /^- Add the date to the section \[1\.2\.0\]/m,
    /^- Move the entries of \[Unreleased\]/m,
    /^- Commit or remove the changes of the working tree:\n M index\.js/m,
    /^- Tag the commit: git tag v1\.2\.0/m,
  ])
    t.match(stderr, problem)
  t.notOk(existsSync(join(dir, '.build')))

  const dry = await release(dir, '--dry-run')
  t.equal(dry.code, 0)
  t.match(dry.stderr, 'cannot be released yet')
  t.notMatch(dry.stdout, 'npm publish')
  t.match(readFileSync(join(dir, '.build/release/release-notes.md'), 'utf8'), '- The last thing.')
  const provenance = JSON.parse(readFileSync(join(dir, '.build/release/provenance.json'), 'utf8'))
  t.match(provenance.predicate.buildDefinition.resolvedDependencies[0], {
    name: 'source',
    annotations: { 'working tree': 'changed' },
  })
})

t.test('a version without a section in the changelog is refused', async (t) => {
  const dir = await createRepository(t, MANIFEST, '# Changelog\n')
  t.match(await release(dir), { code: 1, stderr: 'Write a section "## [1.2.0] - YYYY-MM-DD" into CHANGELOG.md.' })
})

t.test('a dry run packs this package, without an account', async (t) => {
  const output = join(t.testdir({}), 'release')
  const { code, stdout } = await release('.', '--dry-run', '--output', output)
  t.equal(code, 0)
  t.match(stdout, /^Wrote .*\/hydrant-\d+\.\d+\.\d+\.tgz, release-notes\.md and provenance\.json\.$/m)
  const notes = readFileSync(join(output, 'release-notes.md'), 'utf8')
  t.match(notes, /^# hydrant \d/)
  t.match(notes, /^### Added$/m)
})
