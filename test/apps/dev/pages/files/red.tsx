import '../../parts/blue.css'
import '../../parts/red.css'

export default () => (
  <a id="order" href="/files/blue">
    red
  </a>
)
