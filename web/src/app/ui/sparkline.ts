import { Component, computed, input } from '@angular/core';

export interface SparkPoint {
  /** Milliseconds since the epoch. */
  at: number;
  value: number;
}

const width = 320;
const height = 56;
/** Room for the stroke at the very top and bottom. */
const inset = 2;

/** The peak stays clear of the edge, so that a steady depth reads as a line and not as a border. */
const headroom = 1.2;

/** A line of one figure over time, stepped, since a depth holds until it changes. */
@Component({
  selector: 'soai-sparkline',
  template: `
    <svg
      [attr.viewBox]="'0 0 ' + width + ' ' + height"
      preserveAspectRatio="none"
      role="img"
      [attr.aria-label]="label()"
    >
      <title>{{ label() }}</title>
      <path class="area" [attr.d]="area()" />
      <path class="line" [attr.d]="line()" />
    </svg>
  `,
  styles: `
    :host {
      display: block;
    }
    svg {
      display: block;
      width: 100%;
      height: 56px;
      overflow: visible;
    }
    .line {
      fill: none;
      stroke: var(--mat-sys-primary);
      stroke-width: 1.75;
      vector-effect: non-scaling-stroke;
      stroke-linejoin: round;
    }
    .area {
      fill: var(--soai-info-tint);
    }
  `,
})
export class Sparkline {
  readonly points = input.required<readonly SparkPoint[]>();
  readonly from = input.required<number>();
  readonly to = input.required<number>();
  /** What a listener hears in place of the picture. */
  readonly label = input.required<string>();

  protected readonly width = width;
  protected readonly height = height;
  protected readonly line = computed(() => steps(this.points(), this.from(), this.to()));
  protected readonly area = computed(() => {
    const first = this.points()[0];
    return first ? `${this.line()}V${height}H${across(first.at, this.from(), this.to())}Z` : '';
  });
}

function steps(points: readonly SparkPoint[], from: number, to: number): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const top = headroom * Math.max(1, ...points.map((point) => point.value));
  const y = (value: number): string => (height - inset - (value / top) * (height - 2 * inset)).toFixed(1);
  const moves = rest.map((point) => `H${across(point.at, from, to)}V${y(point.value)}`);
  return `M${across(first.at, from, to)} ${y(first.value)}${moves.join('')}H${width}`;
}

function across(at: number, from: number, to: number): string {
  return (Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from))) * width).toFixed(1);
}
