import type { PageProps } from 'hydrant/react'
import { Soon } from '../../components/soon.tsx'

export default function Page({ data }: PageProps<'/soon/parts'>) {
  return <Soon soon={data.soon} />
}
