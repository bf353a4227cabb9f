import type { Result } from '../content/search.server.ts'

export function Results({ results }: { results: readonly Result[] }) {
  return (
    <ol className="results">
      {results.map(({ url, title, heading, excerpt }) => (
        <li key={url}>
          <a href={url}>
            {title}
            {heading && ` › ${heading}`}
          </a>
          <p>{excerpt}</p>
        </li>
      ))}
    </ol>
  )
}

export function countOf({ length }: readonly Result[]): string {
  return length === 1 ? '1 result' : `${length} results`
}
