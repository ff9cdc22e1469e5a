// Numbers as texts, and the few special functions that answers need.

// Four significant digits, as Python's format(x, ".4g") writes them.
export function shortNumber(x, digits = 4) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "?";
  if (x === 0) return "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? "-" : "+";
    return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return trimmed(x.toFixed(Math.max(0, digits - 1 - exponent)));
}

export function percent(x) {
  return `${(100 * x).toFixed(1)} %`;
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const STIRLING = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3, -5.395239384953e-6];

export function logGamma(x) {
  let sum = 1.000000000190015;
  STIRLING.forEach((weight, i) => { sum += weight / (x + 1 + i); });
  const shifted = x + 5.5;
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((2.5066282746310007 * sum) / x);
}

export function digamma(x) {
  let sum = 0;
  for (; x < 12; x += 1) sum -= 1 / x;
  const y = 1 / (x * x);
  return sum + Math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))));
}

export function trigamma(x) {
  let sum = 0;
  for (; x < 12; x += 1) sum += 1 / (x * x);
  const y = 1 / (x * x);
  return sum + 1 / x + y / 2 + (y / x) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - (y * 5) / 66))));
}

function tetragamma(x) {
  let sum = 0;
  for (; x < 12; x += 1) sum -= 2 / (x * x * x);
  const y = 1 / (x * x);
  return sum - y - y / x - y * y * (1 / 2 - y * (1 / 6 - y * (1 / 6 - y * (3 / 10))));
}

// The x with trigamma(x) = y: Newton steps on 1 / trigamma (Minka 2000, appendix C).
export function inverseTrigamma(y) {
  if (!(y > 0)) return Infinity;
  if (y <= 1e-9) return 0.5 + 1 / y;
  let x = 0.5 + 1 / y;
  for (let i = 0; i < 60; i++) {
    const value = trigamma(x);
    const step = (value * (1 - value / y)) / tetragamma(x);
    x += step;
    if (Math.abs(step) <= 1e-13 * x) break;
  }
  return x;
}

// log(x) - digamma(x), without loss of digits for large x.
export function logMinusDigamma(x) {
  if (x > 1e5) return 1 / (2 * x) + 1 / (12 * x * x);
  return Math.log(x) - digamma(x);
}

const NORMAL = 1.959963984540054; // the same quantile of the normal distribution
const SERIES_FREEDOM = 100; // from which on the series has ten digits
const quantiles = new Map();

// The 97.5 % quantile of Student's distribution: half a 95 % interval.
export function studentQuantile(freedom) {
  if (freedom >= SERIES_FREEDOM) return seriesQuantile(freedom);
  const key = freedom.toPrecision(9);
  if (!quantiles.has(key)) {
    if (quantiles.size > 5000) quantiles.clear();
    quantiles.set(key, solvedQuantile(freedom));
  }
  return quantiles.get(key);
}

// The expansion around the normal quantile (Abramowitz and Stegun 1964, 26.7.5).
function seriesQuantile(freedom) {
  const z = NORMAL;
  const w = z * z;
  const terms = [
    (z * (w + 1)) / 4,
    (z * ((5 * w + 16) * w + 3)) / 96,
    (z * (((3 * w + 19) * w + 17) * w - 15)) / 384,
    (z * ((((79 * w + 776) * w + 1482) * w - 1920) * w - 945)) / 92160,
  ];
  return z + terms.reduceRight((sum, term) => (sum + term) / freedom, 0);
}

function solvedQuantile(freedom) {
  let low = 0;
  let high = 2;
  while (upperTail(high, freedom) > 0.025) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (upperTail(middle, freedom) > 0.025) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// P(T > t) for t >= 0.
function upperTail(t, freedom) {
  return 0.5 * incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

// P(Z > z) of a standard normal variable, to about 1e-12 (Marsaglia 2004; continued fraction in the tail).
export function normalTail(z) {
  if (z < 0) return 1 - normalTail(-z);
  if (z > 38) return 0;
  const bell = Math.exp(-0.5 * z * z) / 2.5066282746310002;
  if (z > 5) {
    let fraction = z;
    for (let k = 40; k > 0; k--) fraction = z + k / fraction;
    return bell / fraction;
  }
  let sum = z;
  let term = z;
  for (let k = 3; Math.abs(term) > 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 - bell * sum;
}

function incompleteBeta(a, b, x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(a, b, x)) / a;
  return 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

// Lentz's evaluation of the continued fraction of the incomplete beta function.
function betaFraction(a, b, x) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let product = d;
  for (let m = 1; m <= 500; m++) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / (1 + term * d || tiny);
      c = 1 + term / c || tiny;
      product *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return product;
}
