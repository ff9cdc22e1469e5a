// Curves of densities as paths of SVG.

const POINTS = 64;

// A function over a range as a line from left to right within a box; its highest point reaches the top.
export function curvePath(density, [low, high], { x, y, width, height }, closed) {
  const heights = [];
  let top = 0;
  for (let i = 0; i <= POINTS; i++) {
    const value = density(low + ((high - low) * i) / POINTS);
    heights.push(value);
    if (value > top) top = value;
  }
  if (!(top > 0) || !Number.isFinite(top)) return "";
  const parts = heights.map((value, i) => `${(x + (width * i) / POINTS).toFixed(1)} ${(y + height * (1 - value / top)).toFixed(1)}`);
  const line = `M${parts.join("L")}`;
  return closed ? `${line}L${x + width} ${y + height}L${x} ${y + height}Z` : line;
}

// Bars of a histogram as one path.
export function barsPath({ bounds, counts }, [low, high], { x, y, width, height }) {
  const top = Math.max(...counts);
  if (!(top > 0)) return "";
  const across = (value) => (x + (width * (value - low)) / (high - low)).toFixed(1);
  return counts
    .map((count, i) => {
      const up = (y + height * (1 - count / top)).toFixed(1);
      return `M${across(bounds[i])} ${y + height}V${up}H${across(bounds[i + 1])}V${y + height}Z`;
    })
    .join("");
}

// Where a value lies in a range, from 0 to 1.
export function share(value, [low, high]) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}
