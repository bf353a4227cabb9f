import { href, type NotFoundProps } from 'hydrant/react'
import { PageHead } from '../components/page-head.tsx'

export default function NotFound({ url }: NotFoundProps) {
  return (
    <>
      <PageHead title="Page not found" description="There is no page at this address." />
      <h1>There is no page here</h1>
      <p className="lead">
        This site has no page at <code>{url.pathname}</code>.
      </p>
      <ul>
        <li>
          <a href={href('/')}>What Hydrant is</a>
        </li>
        <li>
          <a href={href('/docs')}>Documentation</a>
        </li>
        <li>
          <a href={href('/notes')}>Notes</a>
        </li>
        <li>
          <a href={href('/failures')}>Failures to try</a>
        </li>
      </ul>
    </>
  )
}
