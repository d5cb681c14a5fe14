//! The charts of the report, as SVG: lines over the size of the catalogue, and bars beside those of other registries.

use std::error::Error;

use plotters::prelude::*;
use skillhub_bench::Line;

/// A chart, and the lines that it shows.
pub(super) struct Chart {
    /// As the lines name it.
    name: &'static str,
    /// The file below `bench/`.
    pub(super) file: &'static str,
    title: &'static str,
    kind: Kind,
}

enum Kind {
    /// Both axes in powers of ten.
    Lines { x: &'static str, y: &'static str },
    /// One bar for each line, its length in powers of ten.
    Bars,
}

pub(super) const CHARTS: [Chart; 2] = [
    Chart {
        name: "list",
        file: "list.svg",
        title: "Reading, as the catalogue grows",
        kind: Kind::Lines { x: "skills", y: "ms, median" },
    },
    Chart {
        name: "peers",
        file: "peers.svg",
        title: "Requests per second, 10,000 packages, 16 at a time",
        kind: Kind::Bars,
    },
];

const WIDTH: u32 = 860;
const HEIGHT: u32 = 420;
/// Of one bar with its distance.
const BAR: u32 = 26;
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1b, 0x6c, 0xa8),
    RGBColor(0xd9, 0x5f, 0x02),
    RGBColor(0x1b, 0x9e, 0x77),
    RGBColor(0x75, 0x70, 0xb3),
    RGBColor(0xe7, 0x29, 0x8a),
    RGBColor(0x66, 0xa6, 0x1e),
    RGBColor(0xa6, 0x76, 0x1d),
    RGBColor(0x66, 0x66, 0x66),
];

impl Chart {
    /// The chart of its lines; nothing if there are none.
    ///
    /// # Errors
    /// If the figures cannot be drawn, such as negative ones.
    pub(super) fn draw(&self, lines: &[Line]) -> Result<Option<String>, String> {
        let lines: Vec<_> = lines.iter().filter(|line| line.chart == self.name).collect();
        if lines.is_empty() {
            return Ok(None);
        }
        let mut svg = String::new();
        let drawn = match self.kind {
            Kind::Lines { x, y } => self.lines(&mut svg, &lines, (x, y)),
            Kind::Bars => self.bars(&mut svg, &lines),
        };
        drawn.map_err(|e| format!("chart {}: {e}", self.name))?;
        Ok(Some(svg + "\n"))
    }

    fn lines(&self, svg: &mut String, lines: &[&Line], axes: (&str, &str)) -> Result<(), Box<dyn Error>> {
        let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
        root.fill(&WHITE)?;
        let points = || lines.iter().flat_map(|line| &line.points);
        let xs = decades(points().map(|point| point.0));
        let ys = decades(points().map(|point| point.1));
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .right_y_label_area_size(180)
            .build_cartesian_2d((xs.0..xs.1).log_scale(), (ys.0..ys.1).log_scale())?;
        let number = |value: &f64| if *value >= 1.0 { format!("{value:.0}") } else { format!("{value}") };
        chart
            .configure_mesh()
            .x_desc(axes.0)
            .y_desc(axes.1)
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .draw()?;
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let series = LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)).point_size(3);
            let key = *colour;
            let drawn = chart.draw_series(series)?.label(&line.name);
            drawn.legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], key.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.9))
            .draw()?;
        root.present()?;
        Ok(())
    }

    fn bars(&self, svg: &mut String, lines: &[&Line]) -> Result<(), Box<dyn Error>> {
        let height = BAR * u32::try_from(lines.len())? + 80;
        let root = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw(&Text::new(self.title, (12, 12), ("sans-serif", 18)))?;
        let (from, to) = decades(lines.iter().flat_map(|line| &line.points).map(|point| point.1));
        let (left, room) = (260.0, f64::from(WIDTH) - 260.0 - 90.0);
        let length = |value: f64| room * (value.max(from) / from).log10() / (to / from).log10();
        let mut top = 48;
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let value = line.points.first().map_or(0.0, |point| point.1);
            let right = (left + length(value)).round() as i32;
            root.draw(&Text::new(line.name.as_str(), (12, top + 4), ("sans-serif", 14)))?;
            root.draw(&Rectangle::new([(left as i32, top), (right, top + 18)], colour.filled()))?;
            root.draw(&Text::new(format!("{value:.1}"), (right + 6, top + 4), ("sans-serif", 14)))?;
            top += i32::try_from(BAR)?;
        }
        root.draw(&Text::new("bars in powers of ten", (12, top + 8), ("sans-serif", 12)))?;
        root.present()?;
        Ok(())
    }
}

/// The powers of ten around some figures.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let positive: Vec<f64> = values.filter(|value| *value > 0.0).collect();
    let least = positive.iter().copied().fold(f64::INFINITY, f64::min);
    let most = positive.iter().copied().fold(0.0, f64::max);
    if positive.is_empty() {
        return (0.1, 1.0);
    }
    let (from, to) = (10_f64.powf(least.log10().floor()), 10_f64.powf(most.log10().ceil()));
    (from, if to > from { to } else { from * 10.0 })
}
