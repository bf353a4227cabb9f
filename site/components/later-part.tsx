export default function LaterPart() {
  return <p id="part">This part of the page has its own script, which is loaded later.</p>
}
