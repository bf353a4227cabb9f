import { href } from 'hydrant/react'
import { Main } from '../components/main.tsx'

export default function NotFound() {
  return (
    <Main title="There is no such page">
      <p>
        Search for it at the top of this page, or begin with <a href={href('/docs/install')}>the first page</a>.
      </p>
    </Main>
  )
}
