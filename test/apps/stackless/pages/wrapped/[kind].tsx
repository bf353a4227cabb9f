import type { PageProps } from 'hydrant/react'
import type { ComponentType } from 'react'
import { values } from '../../parts/values.ts'

type Props = PageProps<'/wrapped/[kind]'>

const withNothing = (Part: ComponentType<Props>) => (props: Props) => <Part {...props} />

export default withNothing(({ params }): never => {
  // place: /wrapped
  throw values[params.kind]?.()
})
