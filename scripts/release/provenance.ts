/** The facts about a package and the process that made it. */
export interface BuildFacts {
  name: string
  version: string
  /** The SHA-512 of the tarball, in hexadecimal. */
  sha512: string
  /** The URL of the repository; null if package.json has none. */
  repository: string | null
  commit: string
  /** Whether the working tree differs from the commit, which only a dry run allows. */
  isChanged: boolean
  /** The SHA-256 of package-lock.json, in hexadecimal. */
  lockSha256: string
  node: string
  npm: string
  platform: string
  /** The URL of the job that runs this; null outside of continuous integration. */
  job: string | null
  startedOn: Date
  finishedOn: Date
}

/** Returns the provenance of a package: an in-toto statement with a predicate of SLSA, without a signature. */
export function createProvenance(facts: BuildFacts) {
  const { name, version, repository, commit } = facts
  // The consumers of a statement ignore annotations that they do not know.
  const annotations = facts.isChanged ? { annotations: { 'working tree': 'changed' } } : {}
  const source = repository === null ? { name: 'source' } : { uri: `git+${repository}@refs/tags/v${version}` }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name}@${version}`, digest: { sha512: facts.sha512 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://docs.npmjs.com/cli/commands/npm-pack',
        externalParameters: { commands: ['npm ci', 'npm run release'] },
        internalParameters: { node: facts.node, npm: facts.npm, platform: facts.platform },
        resolvedDependencies: [
          { ...source, digest: { gitCommit: commit }, ...annotations },
          { name: 'package-lock.json', digest: { sha256: facts.lockSha256 } },
        ],
      },
      runDetails: {
        builder: { id: facts.job ?? 'urn:hydrant:builder:local' },
        metadata: { startedOn: facts.startedOn.toISOString(), finishedOn: facts.finishedOn.toISOString() },
      },
    },
  }
}
