// The page of the public "SSR performance showdown" benchmark: a spiral of absolutely positioned tiles.

const WIDTH = 960
const HEIGHT = 720
const CELL = 10

export default function Spiral() {
  return (
    <div id="wrapper">
      {createTiles().map(({ x, y }, index) => (
        <div key={index} className="tile" style={{ left: `${x.toFixed(2)}px`, top: `${y.toFixed(2)}px` }} />
      ))}
    </div>
  )
}

function createTiles() {
  const tiles: { x: number; y: number }[] = []
  for (let angle = 0, radius = 0; radius < Math.min(WIDTH, HEIGHT) / 2; angle += 0.2, radius += CELL * 0.015) {
    const x = WIDTH / 2 + Math.cos(angle) * radius
    const y = HEIGHT / 2 + Math.sin(angle) * radius
    if (x >= 0 && x <= WIDTH - CELL && y >= 0 && y <= HEIGHT - CELL) tiles.push({ x, y })
  }
  return tiles
}
