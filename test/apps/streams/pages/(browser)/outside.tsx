import { BareWidth } from '../../components/width.tsx'

export default function Page() {
  return <BareWidth />
}
