import * as all from '../parts/all'
import { deep, first, named, other, own } from '../parts/all'
import { State } from '../parts/state'

export default function Page() {
  return (
    <main>
      <p id="names">{[deep, first, named, other, own].join()}</p>
      <p id="all">{Object.keys(all).sort().join()}</p>
      <State />
    </main>
  )
}
