import { Counter } from './counter.tsx'

export default function Lazy() {
  return <Counter name="lazy" />
}
