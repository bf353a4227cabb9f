import { Elsewhere } from '../../parts/shared-parts.tsx'

export default function Page() {
  return <Elsewhere value="a" />
}
