import type { PageProps } from 'hydrant/react'
import { RefusedText } from '../components/refused-text.tsx'

export default function Refused({ invalid }: PageProps<'/refused'>) {
  return (
    <form method="post">
      <title>Refused</title>
      <RefusedText issues={invalid?.issues.text} />
    </form>
  )
}
