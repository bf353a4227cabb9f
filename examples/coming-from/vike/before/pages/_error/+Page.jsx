import { usePageContext } from 'vike-react/usePageContext'

export default function ErrorPage() {
  const { abortReason, is404 } = usePageContext()
  if (is404) return <h1>{abortReason ?? 'This page does not exist'}</h1>
  return <h1>This page cannot be shown</h1>
}
