import { href } from 'hydrant/react'
import { PageHead } from '../../components/page-head.tsx'

export default function DocumentNotFound() {
  return (
    <>
      <PageHead title="No such document" description="There is no document at this address." />
      <h1>There is no such document</h1>
      <p>
        Search for it, or look at the list of <a href={href('/docs')}>all documents</a>.
      </p>
    </>
  )
}
