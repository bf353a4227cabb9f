import type { PageProps } from 'hydrant/react'
import { values } from '../../parts/values.ts'

export default ({ params }: PageProps<'/unnamed/[kind]'>) => {
  // place: /unnamed
  throw values[params.kind]?.()
}
