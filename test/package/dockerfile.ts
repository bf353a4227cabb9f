import { readFileSync } from 'node:fs'

export interface Dockerfile {
  /** The commands of `RUN` in the stage that builds, in order. */
  build: string[]
  /** The paths that the final image gets from that stage, relative to the working folder. */
  copied: string[]
  /** The words of `CMD` and of the command in `HEALTHCHECK`. */
  command: string[]
  healthcheck: string[]
  user: string
  /** The variables of `ENV`. */
  env: Record<string, string>
}

/** Reads a Dockerfile with two stages. */
export function readDockerfile(path: string): Dockerfile {
  const [, build = '', final = ''] = readFileSync(path, 'utf8')
    .replaceAll('\\\n', '')
    .split(/^FROM /m)
  const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, value = '']) => value)
  const words = (pattern: RegExp) => JSON.parse(pattern.exec(final)?.[1] ?? '[]') as string[]
  return {
    build: all(build, /^RUN (.*)$/gm),
    // Paths below the working folder are the same in both stages.
    copied: all(final, /^COPY --from=build \/\w+\/(\S+) \S+$/gm),
    command: words(/^CMD (.*)$/m),
    healthcheck: words(/^HEALTHCHECK .* CMD (.*)$/m),
    user: all(final, /^USER (.*)$/gm).join(),
    env: Object.fromEntries([...final.matchAll(/(?<=^ENV .*)(\w+)=(\S+)/gm)].map(([, name, value]) => [name, value])),
  }
}
