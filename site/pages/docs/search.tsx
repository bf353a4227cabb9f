import { href, type PageProps } from 'hydrant/react'
import { PageHead } from '../../components/page-head.tsx'
import classes from './search.module.css'

type Data = PageProps<'/docs/search'>['data']
type Hit = Data['hits'][number]

export default function Search({ data, search: { q } }: PageProps<'/docs/search'>) {
  return (
    <>
      <PageHead title={q === '' ? 'Search' : `${q} · Search`} description="Search all documents of Hydrant." />
      {/* Results are for visitors, not for other searches. */}
      {q !== '' && <meta name="robots" content="noindex" />}
      <h1 id="results" tabIndex={-1}>
        {q === '' ? 'Search' : `Results for “${q}”`}
      </h1>
      <p role="status">{q !== '' && `${describeCorrection(data)}${describe(data)}`}</p>
      {data.suggested !== null && (
        <p>
          Did you mean <a href={href('/docs/search', {}, { search: { q: data.suggested } })}>{data.suggested}</a>?
        </p>
      )}
      {data.hits.length > 0 ? (
        <ol className={classes.hits}>
          {data.hits.map((hit) => (
            <li key={hit.href}>
              <Result {...hit} />
            </li>
          ))}
        </ol>
      ) : (
        <Advice hasQuery={q !== ''} />
      )}
    </>
  )
}

function describeCorrection({ corrected }: Data): string {
  return corrected === null ? '' : `A word of the search is in no document. These are the results for “${corrected}”. `
}

function describe({ hits, isPartial, isMore }: Data): string {
  if (hits.length === 0) return 'No document contains any of these words.'
  const count = hits.length === 1 ? 'one section' : `${hits.length} sections`
  return isPartial
    ? `No section contains all of these words; ${count} with some of them, the best first.`
    : `The words are in ${isMore ? 'more than ' : ''}${count}, the best first.`
}

function Result({ href, title, heading, excerpt }: Hit) {
  return (
    <>
      <a href={href}>{heading === null ? title : `${title}: ${heading}`}</a>
      <p>{excerpt.map(({ text, isFound }, index) => (isFound ? <mark key={index}>{text}</mark> : text))}</p>
    </>
  )
}

function Advice({ hasQuery }: { hasQuery: boolean }) {
  return (
    <>
      <p>
        {hasQuery ? 'Try fewer or other words' : 'Type one or more words'}: the name of a function or an option, an
        error code such as <code>HYD_PORT_IN_USE</code>, or what you want to do.
      </p>
      <p>
        <a href={href('/docs')}>All documents</a> lists everything there is.
      </p>
    </>
  )
}
