import type { PageProps } from 'hydrant/react'
import { Main } from '../components/main.tsx'
import { countOf, Results } from '../components/results.tsx'

export default function Search({ data, search }: PageProps<'/search'>) {
  const { results } = data
  return (
    <Main title={search.q === '' ? 'Search' : `Search for “${search.q}”`}>
      <p>{search.q === '' ? 'Type a word into the box at the top of this page.' : countOf(results)}</p>
      <Results results={results} />
    </Main>
  )
}
