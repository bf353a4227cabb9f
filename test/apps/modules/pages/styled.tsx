import { utc } from 'parts/plugin/utc'
import { dark } from 'parts/themes'
import { Outer } from 'styled-outer'
import 'sheet'
import { version } from 'versioned'

export default function Styled() {
  return (
    <main>
      <Outer />
      <p id="version">{version}</p>
      <p id="parts">{[utc, dark].join()}</p>
    </main>
  )
}
