// The command `npm run release`: packs the built package, and writes its release notes and its provenance. It never
// publishes. `--dry-run` does the same for a state that must not be released yet, and lists the reasons. Runs in the
// repository's folder, after the build.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Manifest {
  name: string
  version: string
  repository?: { url: string }
  engines: { node: string }
  peerDependencies: Record<string, string>
}

/** The part of the output of `npm pack --json` that is used. */
interface Packed {
  filename: string
  integrity: string
  size: number
  files: readonly unknown[]
}

const startedOn = new Date()
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, output: { type: 'string', default: '.build/release' } },
})
const { output, 'dry-run': isDryRun } = values
// npm checks the manifest when it packs.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const { name, version } = manifest
const repository = manifest.repository?.url.replace(/^git\+/, '') ?? null
const sections = readChangelog(readFileSync('CHANGELOG.md', 'utf8'))

const changes = read('git', 'status', '--porcelain')
const problems = findReleaseProblems()
if (problems.length > 0) console.error(`${version} cannot be released yet:\n${toList(problems)}\n`)
if (problems.length > 0 && !isDryRun) process.exitCode = 1
else writeRelease()

function writeRelease() {
  mkdirSync(output, { recursive: true })
  // The build has run, and npm would run it again.
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', output]
  const [packed] = JSON.parse(read('npm', ...words)) as [Packed]
  const tarball = join(output, packed.filename)
  write('release-notes.md', formatNotes(packed))
  write('provenance.json', `${JSON.stringify(createProvenance(tarball), null, 2)}\n`)
  console.log(`Wrote ${tarball}, release-notes.md and provenance.json.`)
  if (!isDryRun) console.log(`To publish it from a job that npm trusts:\n  npm publish ${tarball} --provenance`)
}

function formatNotes({ integrity, size, files }: Packed): string {
  const { text } = chooseSection()
  const { node } = manifest.engines
  const { react, fastify } = manifest.peerDependencies
  const facts = [
    `Install: \`npm install ${name}@${version}\``,
    `Node.js \`${node}\`, React \`${react}\`, Fastify \`${fastify}\``,
    `${files.length} files, ${Math.round(size / 1000)} kB packed, \`${integrity}\``,
  ]
  return `# ${name} ${version}\n\n${text}\n\n## Package\n\n${toList(facts)}\n`
}

/** Returns the section of the version. A dry run takes the entries that have no version yet, if there are any. */
function chooseSection(): ChangelogSection {
  const unreleased = findSection('Unreleased')
  return unreleased.text === '' ? findSection(version) : unreleased
}

/** Returns the URL of the job in which this runs; null outside of GitHub Actions. */
function findJob(): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: project, GITHUB_RUN_ID: id } = process.env
  return server && project && id ? `${server}/${project}/actions/runs/${id}` : null
}

function toList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

function hash(algorithm: string, path: string): string {
  return createHash(algorithm).update(readFileSync(path)).digest('hex')
}

function read(program: string, ...words: string[]): string {
  return execFileSync(program, words, { encoding: 'utf8' }).trimEnd()
}

function write(file: string, text: string) {
  writeFileSync(join(output, file), text)
}

/** Returns the reasons why this state must not be released, each as a sentence that says what to do. */
function findReleaseProblems(): string[] {
  const tags = read('git', 'tag', '--points-at', 'HEAD').split('\n')
  const section = findSection(version)
  const checks: [boolean, string][] = [
    [
      repository !== null,
      'Set "repository" in package.json: npm needs it for its provenance, and for the links of README.md.',
    ],
    [section.text !== '', `Write a section "## [${version}] - YYYY-MM-DD" into CHANGELOG.md.`],
    [section.text === '' || section.date !== null, `Add the date to the section [${version}] of CHANGELOG.md.`],
    [findSection('Unreleased').text === '', `Move the entries of [Unreleased] into the section [${version}].`],
    [changes === '', `Commit or remove the changes of the working tree:\n${changes}`],
    [tags.includes(`v${version}`), `Tag the commit: git tag v${version}.`],
  ]
  return checks.filter(([isMet]) => !isMet).map(([, problem]) => problem)
}

interface ChangelogSection {
  /** The version, or `Unreleased`. */
  name: string
  /** The date of the release: `2026-11-23`; null if the heading has none. */
  date: string | null
  /** The Markdown below the heading. */
  text: string
}

/** Splits a changelog in the format of Keep a Changelog: `## [1.2.3] - 2026-11-23`. The newest section comes first. */
function readChangelog(markdown: string): ChangelogSection[] {
  const [, ...parts] = markdown.split(/^## /m)
  return parts.map((part) => {
    const end = part.indexOf('\n')
    const [, name = '', date = null] = /^\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?/.exec(part.slice(0, end)) ?? []
    return { name, date, text: part.slice(end).trim() }
  })
}

/** Returns the section with this name. Its text is empty if there is none. */
function findSection(name: string): ChangelogSection {
  return sections.find((section) => section.name === name) ?? { name, date: null, text: '' }
}

/** Returns the provenance of a package: an in-toto statement with a predicate of SLSA, without a signature. */
function createProvenance(tarball: string) {
  const platform = `${process.platform}-${process.arch}`
  // The consumers of a statement ignore annotations that they do not know.
  const annotations = changes !== '' ? { annotations: { 'working tree': 'changed' } } : {}
  const source = repository === null ? { name: 'source' } : { uri: `git+${repository}@refs/tags/v${version}` }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name}@${version}`, digest: { sha512: hash('sha512', tarball) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://docs.npmjs.com/cli/commands/npm-pack',
        externalParameters: { commands: ['npm ci', 'npm run release'] },
        internalParameters: { node: process.version, npm: read('npm', '--version'), platform },
        resolvedDependencies: [
          { ...source, digest: { gitCommit: read('git', 'rev-parse', 'HEAD') }, ...annotations },
          { name: 'package-lock.json', digest: { sha256: hash('sha256', 'package-lock.json') } },
        ],
      },
      runDetails: {
        builder: { id: findJob() ?? 'urn:hydrant:builder:local' },
        metadata: { startedOn: startedOn.toISOString(), finishedOn: new Date().toISOString() },
      },
    },
  }
}
