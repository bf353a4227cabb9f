/** The field `repository` of a package.json. */
export type Repository = string | { url: string } | undefined

/** Returns the address where a file of the repository can be edited; null if the package names no repository. */
export function editHref(repository: Repository, file: string): string | null {
  const url = typeof repository === 'object' ? repository.url : repository
  const [, address] = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?\/?$/.exec(url ?? '') ?? []
  return address === undefined ? null : `${address}/edit/main/${encodeURI(file)}`
}
