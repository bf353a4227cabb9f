import { type ChangelogSection, findSection } from './changelog.ts'

export interface ReleaseState {
  version: string
  hasRepository: boolean
  sections: readonly ChangelogSection[]
  /** The output of `git status --porcelain`. */
  changes: string
  /** The tags of the current commit. */
  tags: readonly string[]
}

/** Returns the reasons why this state must not be released, each as a sentence that says what to do. */
export function findReleaseProblems({ version, hasRepository, sections, changes, tags }: ReleaseState): string[] {
  const section = findSection(sections, version)
  const checks: [boolean, string][] = [
    [
      hasRepository,
      'Set "repository" in package.json: npm needs it for its provenance, and for the links of README.md.',
    ],
    [section.text !== '', `Write a section "## [${version}] - YYYY-MM-DD" into CHANGELOG.md.`],
    [section.text === '' || section.date !== null, `Add the date to the section [${version}] of CHANGELOG.md.`],
    [
      findSection(sections, 'Unreleased').text === '',
      `Move the entries of [Unreleased] into the section [${version}].`,
    ],
    [changes === '', `Commit or remove the changes of the working tree:\n${changes}`],
    [tags.includes(`v${version}`), `Tag the commit: git tag v${version}.`],
  ]
  return checks.filter(([isMet]) => !isMet).map(([, problem]) => problem)
}
