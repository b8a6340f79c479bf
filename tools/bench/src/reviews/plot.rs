//! Plots of latency and read units against the number of reviews. Both axes are logarithmic.
//!
//! Plots have a transparent background and colours of middle lightness, so that they are readable on light and dark pages.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use plotters::prelude::*;

use super::SizeResult;
use super::backend::Backend;
use super::report::grouped;
use super::rounds::Measurement;
use super::search::PagePosition;

/// Plot of the report.
pub(super) struct Plot {
    /// End of the file's name.
    suffix: &'static str,
    /// Alternative text of the image.
    description: &'static str,
    svg: String,
}

/// File of a plot.
pub(super) struct PlotFile {
    pub(super) name: String,
    pub(super) description: &'static str,
}

const WIDTH: u32 = 860;
const HEIGHT: u32 = 420;
/// Left edge of the legend.
const LEGEND: i32 = 600;
/// Smallest number that is drawn: zero has no logarithm.
const SMALLEST: f64 = 1e-3;
const INK: RGBColor = RGBColor(128, 128, 128);
const LEDGER: RGBColor = RGBColor(46, 160, 90);
const COLD_LEDGER: RGBColor = RGBColor(32, 150, 170);
const THIN_INDEX: RGBColor = RGBColor(222, 125, 40);
const POSTGRES: RGBColor = RGBColor(74, 128, 220);
const RARE_FILTER: RGBColor = RGBColor(160, 105, 205);

/// Line of a plot with its data.
struct Line {
    label: &'static str,
    colour: RGBColor,
    is_dashed: bool,
    /// Number of reviews, and the measured value.
    points: Vec<(f64, f64)>,
}

/// Definition of a line: its measurements and its style.
struct LineSpec {
    label: &'static str,
    backend: Backend,
    filter: &'static str,
    position: PagePosition,
    colour: RGBColor,
    is_dashed: bool,
}

impl LineSpec {
    /// Returns a solid line for page 1 without a filter.
    const fn first_page(label: &'static str, backend: Backend, colour: RGBColor) -> Self {
        Self { label, backend, filter: "no filter", position: PagePosition::First, colour, is_dashed: false }
    }

    /// Returns a dashed line for the last page without a filter.
    const fn last_page(label: &'static str, backend: Backend, colour: RGBColor) -> Self {
        Self { label, backend, filter: "no filter", position: PagePosition::Last, colour, is_dashed: true }
    }

    /// Returns the line. Sizes without a value have no point.
    fn line(&self, sizes: &[SizeResult], value: fn(&Measurement) -> Option<f64>) -> Line {
        let point = |size: &SizeResult| {
            let measurement = size.find(self.filter, self.position)?.measurements.get(&self.backend)?;
            Some((size.total as f64, value(measurement)?))
        };
        let points = sizes.iter().filter_map(point).collect();
        Line { label: self.label, colour: self.colour, is_dashed: self.is_dashed, points }
    }
}

/// Lines of the plot of latency, in the order of their right ends from the top.
const LATENCY_LINES: [LineSpec; 7] = [
    LineSpec::first_page("thin index, any page", Backend::ThinIndex, THIN_INDEX),
    LineSpec::last_page("PostgreSQL, last page", Backend::Postgres, POSTGRES),
    LineSpec::first_page("PostgreSQL, page 1", Backend::Postgres, POSTGRES),
    LineSpec::last_page("ledger, last page, cold", Backend::ColdLedger, COLD_LEDGER),
    LineSpec::first_page("ledger, page 1, cold", Backend::ColdLedger, COLD_LEDGER),
    LineSpec::last_page("ledger, last page, warm", Backend::WarmLedger, LEDGER),
    LineSpec::first_page("ledger, page 1, warm", Backend::WarmLedger, LEDGER),
];
/// Lines of the plot of read units, in the order of their right ends from the top.
const UNIT_LINES: [LineSpec; 4] = [
    LineSpec::first_page("thin index, any search", Backend::ThinIndex, THIN_INDEX),
    LineSpec::first_page("ledger, page 1, cold", Backend::ColdLedger, LEDGER),
    LineSpec::last_page("ledger, last page, cold", Backend::ColdLedger, LEDGER),
    LineSpec {
        filter: "0.15 % filter",
        ..LineSpec::first_page("ledger, 0.15 % filter, cold", Backend::ColdLedger, RARE_FILTER)
    },
];

/// Draws both plots.
pub(super) fn draw_plots(sizes: &[SizeResult]) -> anyhow::Result<Vec<Plot>> {
    let latency = lines(sizes, &LATENCY_LINES, |measurement| (measurement.runs() > 0).then(|| measurement.median_ms()));
    let units = lines(sizes, &UNIT_LINES, |measurement| Some(measurement.cost.read_units));
    Ok(vec![
        Plot {
            suffix: "latency",
            description: "Median latency against the number of reviews",
            svg: draw("median latency in ms, no filter", &latency)?,
        },
        Plot {
            suffix: "units",
            description: "Read units of a search against the number of reviews",
            svg: draw("read units of a search", &units)?,
        },
    ])
}

/// Writes the plots into files beside the report.
pub(super) fn write(plots: &[Plot], report: &Path) -> anyhow::Result<Vec<PlotFile>> {
    let stem = report.file_stem().and_then(|stem| stem.to_str()).context("the report needs a name")?;
    let mut files = Vec::new();
    for plot in plots {
        let name = format!("{stem}-{}.svg", plot.suffix);
        std::fs::write(report.with_file_name(&name), &plot.svg)?;
        files.push(PlotFile { name, description: plot.description });
    }
    Ok(files)
}

/// Returns the lines that have points.
fn lines(sizes: &[SizeResult], specs: &[LineSpec], value: fn(&Measurement) -> Option<f64>) -> Vec<Line> {
    specs.iter().map(|spec| spec.line(sizes, value)).filter(|line| !line.points.is_empty()).collect()
}

fn draw(title: &str, lines: &[Line]) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        let (left, right) = root.split_horizontally(LEGEND);
        chart(&left, title, lines).map_err(|error| anyhow!("cannot draw {title}: {error}"))?;
        legend(&right, lines).map_err(|error| anyhow!("cannot draw the legend of {title}: {error}"))?;
        root.present().map_err(|error| anyhow!("cannot draw {title}: {error}"))?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type DrawResult<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn chart<'a>(area: &Area<'a>, title: &str, lines: &[Line]) -> DrawResult<'a> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (xs, ys) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .caption(title, text(20))
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((xs.0..xs.1).log_scale(), (ys.0..ys.1).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(INK.mix(0.35))
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(text(15))
        .x_desc("reviews")
        .x_label_formatter(&|number| label(*number))
        .y_label_formatter(&|number| label(*number))
        .x_labels(powers(xs))
        .y_labels(powers(ys))
        .draw()?;
    for line in lines {
        let style = line.colour.stroke_width(2);
        if line.is_dashed {
            chart.draw_series(DashedLineSeries::new(line.points.iter().copied(), 7, 5, style))?;
        } else {
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
        }
        chart.draw_series(line.points.iter().map(|point| Circle::new(*point, 3, line.colour.filled())))?;
    }
    Ok(())
}

/// Draws the label of each line.
fn legend<'a>(area: &Area<'a>, lines: &[Line]) -> DrawResult<'a> {
    for (line, y) in lines.iter().zip((80..).step_by(30)) {
        let style = line.colour.stroke_width(2);
        let dashes: &[(i32, i32)] = if line.is_dashed { &[(0, 9), (14, 23), (28, 36)] } else { &[(0, 36)] };
        for (from, to) in dashes {
            area.draw(&PathElement::new(vec![(*from, y), (*to, y)], style))?;
        }
        area.draw(&Circle::new((18, y), 3, line.colour.filled()))?;
        area.draw(&Text::new(line.label, (46, y - 7), text(17)))?;
    }
    Ok(())
}

fn text<'a>(size: u32) -> TextStyle<'a> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Returns the powers of ten around all numbers.
fn decades(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), number| (low.min(number), high.max(number)));
    let (floor, ceiling) = (low.max(SMALLEST).log10().floor(), high.max(SMALLEST).log10().ceil());
    (10_f64.powf(floor), 10_f64.powf(ceiling.max(floor + 1.0)))
}

/// Returns the number of powers of ten in a range, both ends included.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few decades")]
fn powers((first, last): (f64, f64)) -> usize {
    (last / first).log10().round() as usize + 1
}

/// Formats a power of ten. Other numbers have no label, because labels would overlap.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "labels from one on are whole")]
fn label(number: f64) -> String {
    let exponent = number.log10();
    match number {
        _ if (exponent - exponent.round()).abs() > SMALLEST => String::new(),
        fraction if fraction < 1.0 => format!("{fraction}"),
        whole => grouped(whole.round() as u64),
    }
}
