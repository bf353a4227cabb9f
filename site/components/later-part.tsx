export default function LaterPart() {
  return <p id="part">This part of the page is loaded later, by a script of its own.</p>
}
