import './styled-box.css'

export function StyledBox() {
  return <b id="box">box</b>
}
